"""Optional: brains that are not language models, to compare with: chance, hill climbing, CMA-ES."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..policy import Policy
from ..run import Trial
from ..settings import number
from .base import Brain, Proposal


def need_quantities(policy: Policy, brain: Brain) -> None:
    """Raises ValueError for a table: its parameters are names of actions, not quantities."""
    if not policy.quantities:
        why = f"A table's actions have no more and less, which {type(brain).__name__} needs"
        raise ValueError(f"{why}: use RandomSearch, HillClimbing or a TableBrain for a table.")


class RandomSearch(Brain):
    """Proposes uniformly random points of the policy's box, or tables, whatever it is told.

    seed
        The :math:`k`-th proposal depends on the seed and :math:`k` alone.
    """

    SETTINGS = ("seed",)

    def __init__(self, policy: Policy, *, seed: int = 0):
        super().__init__(policy)
        self.seed = number("seed", seed, least=0, whole=True)

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """A uniformly random point: see `Brain.ask`."""
        rng = np.random.default_rng([self.seed, len(self.proposals)])
        return Proposal(self.policy.uniform(rng))


class CMAES(Brain):
    """The covariance matrix adaptation evolution strategy (Hansen 2016).

    The work is done by the package `cma`; here it is handed out a point at a time. The search
    starts from the best warm-up point, or the middle of the box where there is none.

    sigma
        The first step size, in units of the parameters.
    seed
        Same seed and same values told: same proposals.

    Raises ValueError for a table of actions, and for a step size that is not above 0.
    """

    SETTINGS = ("sigma", "seed")

    def __init__(self, policy: Policy, *, sigma: float = 1.0, seed: int = 0):
        super().__init__(policy)
        need_quantities(policy, self)
        self.sigma = number("sigma", sigma, above=0)
        self.seed = number("seed", seed, least=0, whole=True)

    def _forget(self) -> None:
        super()._forget()
        self._strategy = None
        self._generation: list[np.ndarray] = []
        self._values: list[float] = []

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """The next point of the current generation: see `Brain.ask`."""
        self._breed()
        return Proposal(self.policy.to_grid(self._generation[len(self._values)]))

    def tell(self, trial: Trial) -> None:
        """Adapts when the values of a whole generation are told: see `Brain.tell`."""
        if not trial.warmup:
            self._breed()
            self._values.append(trial.value)
            if len(self._values) == len(self._generation):
                self._strategy.tell(self._generation, [-value for value in self._values])
                self._generation, self._values = [], []
        super().tell(trial)

    def _breed(self) -> None:
        if not self._generation:
            self._strategy = self._strategy or self._start()
            self._generation = self._strategy.ask()

    def _start(self) -> Any:
        import cma

        rng = np.random.default_rng(self.seed)
        options = {"bounds": [self.policy.low, self.policy.high], "verbose": -9}
        # Its own generator, so that NumPy's global one stays untouched.
        options |= {"seed": np.nan, "randn": lambda *shape: rng.standard_normal(shape)}
        start = self.best.params if self.best else self.policy.middle
        return cma.CMAEvolutionStrategy(start, self.sigma, options)


class HillClimbing(Brain):
    r"""The simplest evolution strategy, (1+1): one parent, one child, the better one stays.

    The parent is the told point of the highest value, warm-up included, the latest of equals; the
    middle of the box where nothing was told. The child of a vector of numbers is the parent plus
    `normal(0, step)` in each number; the child of a table has the actions of some states changed.
    Both are put on the grid.

    The value of a point is the same each time, so a child that was told before would teach nothing:
    it is drawn again, with the step widened by a tenth each time, up to the width of the box. Only
    after `draws` such children, where the grid is as good as used up, is a point proposed twice.

    step
        Standard deviation of a step in each parameter, in units of the parameters. In a table of
        :math:`n` states each changes with chance :math:`\text{step} / n`, and at least one does.
    seed
        Same seed and same trials told: same proposals.
    draws
        How many children are drawn at most for one proposal.

    It is the (1+1) strategy (Rechenberg 1973) without the rule that adapts the step. Raises
    ValueError for a step that is not above 0 and for fewer draws than 1.
    """

    SETTINGS = ("step", "seed", "draws")

    def __init__(self, policy: Policy, *, step: float = 1.0, seed: int = 0, draws: int = 100):
        super().__init__(policy)
        self.step = number("step", step, above=0)
        self.seed = number("seed", seed, least=0, whole=True)
        self.draws = number("draws", draws, least=1, whole=True)

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """A child of the best point: see `Brain.ask`."""
        rng = np.random.default_rng([self.seed, len(self.proposals)])
        known = {tuple(trial.params.tolist()) for trial in self.trials}
        step = self.step
        for _ in range(self.draws):
            child = self.policy.neighbour(self.parent, step, rng)
            if tuple(child.tolist()) not in known:
                break
            step = max(self.step, min(1.1 * step, self.policy.widest))
        return Proposal(child)

    @property
    def parent(self) -> np.ndarray:
        """The point that steps start from, shape (size,)."""
        if not self.trials:
            return self.policy.to_grid(self.policy.middle)
        # The latest of equals, which `max` finds first in reverse.
        return max(reversed(self.trials), key=lambda trial: trial.value).params
