"""Optimisers for the studies, brains as the library's own: ARS, a Gaussian process, restarts."""

# ruff: noqa: NPY002  (the package cma draws from NumPy's global generator)

from __future__ import annotations

import warnings
from collections.abc import Sequence
from queue import Queue
from threading import Thread
from typing import Any

import numpy as np

from propslib import Policy
from propslib.brain import Brain, Proposal
from propslib.brain.optimisers import need_quantities
from propslib.settings import number


class ARS(Brain):
    """Augmented random search, version V1 (Mania et al. 2018, arXiv 1803.07055, algorithm 1).

    A centre c moves through the box; it starts at the best warm-up point, or in the middle of the
    box where there is none. Each iteration

    1. draws `directions` vectors d_1, d_2, ... from normal(0, 1), one number a parameter;
    2. proposes c + nu d_k and c - nu d_k for each, one point at a time, and is told r+_k, r-_k;
    3. keeps the `top` directions with the largest max(r+_k, r-_k);
    4. moves c by alpha / (top * s) times the sum of (r+_k - r-_k) d_k over these, where s is the
       standard deviation of their 2 * top values;
    5. proposes the new c itself.

    Steps 1 to 4 are the paper's, with the value, the mean of several episodes on fixed seeds, for
    its return of one episode. What differs: points are put on the grid before they are tried, while
    c and the d_k are not; c is kept inside the box; c stays where all values are equal (s = 0);
    and step 5, which the paper leaves to its evaluation: a search can only choose a point that it
    tried. An iteration takes 2 * directions + 1 proposals.

    nu
        Size of the trial steps, in units of the parameters.
    alpha
        Size of the moves, in units of the parameters.
    directions, top
        N and b of the paper; `top` None keeps them all.
    seed
        Same seed and same values told: same proposals.

    Raises ValueError for a table of actions, whose numbers are names and no quantities, and for
    settings that cannot work.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        nu: float = 1.0,
        alpha: float = 0.5,
        directions: int = 4,
        top: int | None = None,
        seed: int = 0,
    ):
        super().__init__(policy)
        need_quantities(policy, self)
        self.nu, self.alpha = number("nu", nu, above=0), number("alpha", alpha, above=0)
        self.directions = number("directions", directions, least=1, whole=True)
        top = self.directions if top is None else top
        self.top = number("top", top, least=1, most=self.directions, whole=True)
        self.seed = number("seed", seed, least=0, whole=True)

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """The next point of the current iteration: see `Brain.ask`."""
        iteration, place = divmod(len(self.proposals), 2 * self.directions + 1)
        if place == 2 * self.directions:
            return Proposal(self.policy.to_grid(self.centre))
        direction = self._directions(iteration)[place // 2]
        sign = -1 if place % 2 else 1
        return Proposal(self.policy.to_grid(self.centre + sign * self.nu * direction))

    @property
    def centre(self) -> np.ndarray:
        """The centre c after the trials told so far, shape (size,); not on the grid."""
        low, high = self.policy.low, self.policy.high
        warm = [trial for trial in self.trials if trial.warmup]
        best = max(warm, key=lambda trial: trial.value, default=None)
        centre = best.params if best else self.policy.middle
        values = np.array([trial.value for trial in self.proposals])
        pairs, size = 2 * self.directions, 2 * self.directions + 1
        for iteration in range((len(values) + 1) // size):
            earned = values[iteration * size : iteration * size + pairs].reshape(-1, 2)
            centre = np.clip(centre + self._move(earned, self._directions(iteration)), low, high)
        return centre

    def _directions(self, iteration: int) -> np.ndarray:
        rng = np.random.default_rng([self.seed, iteration])
        return rng.normal(size=(self.directions, self.policy.size))

    def _move(self, earned: np.ndarray, directions: np.ndarray) -> np.ndarray:
        best = np.argsort(-earned.max(axis=1), kind="stable")[: self.top]
        earned, directions = earned[best], directions[best]
        spread = earned.std()
        if spread == 0:
            return np.zeros(self.policy.size)
        slopes = (earned[:, 0] - earned[:, 1])[:, None] * directions
        return self.alpha / (self.top * spread) * slopes.sum(axis=0)

    @property
    def config(self) -> dict[str, Any]:
        """The settings: see `Brain.config`."""
        names = ("nu", "alpha", "directions", "top", "seed")
        return super().config | {name: getattr(self, name) for name in names}


class GaussianProcess(Brain):
    """Proposes the point of the highest expected improvement (Jones, Schonlau and Welch 1998).

    A Gaussian process (of scikit-learn: a Matérn kernel of smoothness 5/2, one length for all
    parameters, and a little noise) is fitted to all trials told, its three settings by maximum
    likelihood. For any point it gives a mean m and a deviation s of the value. Beside the best
    value told, v, the point's expected improvement is

        (m - v) Phi(u) + s phi(u),   u = (m - v) / s,

    with Phi and phi the normal distribution's function and density. It is computed for
    `candidates` points of the grid that were not tried yet, half of them uniformly random in the
    box, half around the best point at distances of many sizes, and the highest is proposed. Before
    two trials are told, the proposal is uniformly random.

    candidates
        How many points are looked at for one proposal.
    seed
        Same seed and same trials told: same proposals, on one machine. (The last bits of linear
        algebra differ between processors.)

    Fitting takes time that grows with the cube of the trials: about 0.1 s at 50, 1 s at 400. Raises
    ValueError for a table of actions, and for fewer candidates than 2.
    """

    def __init__(self, policy: Policy, *, candidates: int = 2000, seed: int = 0):
        super().__init__(policy)
        need_quantities(policy, self)
        self.candidates = number("candidates", candidates, least=2, whole=True)
        self.seed = number("seed", seed, least=0, whole=True)

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """The candidate of the highest expected improvement: see `Brain.ask`."""
        from threadpoolctl import threadpool_limits

        rng = np.random.default_rng([self.seed, len(self.proposals)])
        points = self._candidates(rng)
        if len(self.trials) < 2:
            return Proposal(points[0])
        # The number of threads decides in which order sums are added, and so their last bits.
        with threadpool_limits(1):
            scores = self.score(points)
        return Proposal(points[int(np.argmax(scores))])

    def score(self, points: np.ndarray) -> np.ndarray:
        """What a proposal has the most of, for points (m, size): the expected improvement."""
        return self.expected_improvement(points)

    def expected_improvement(self, points: np.ndarray) -> np.ndarray:
        """By how much each point is expected to exceed the best value told, 0 where it does not.

        points
            (m, size).

        Gives (m,), in units of the value. Raises ValueError before two trials were told.
        """
        if len(self.trials) < 2:
            raise ValueError(f"A fit needs 2 trials or more; {len(self.trials)} were told.")
        from scipy.stats import norm

        values = np.array([trial.value for trial in self.trials])
        mean, deviation = self._fitted(values).predict(self._scaled(points), return_std=True)
        gain, deviation = mean - values.max(), np.maximum(deviation, 1e-12)
        return gain * norm.cdf(gain / deviation) + deviation * norm.pdf(gain / deviation)

    def _fitted(self, values: np.ndarray) -> Any:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

        kernel = ConstantKernel(1.0, (1e-2, 1e2)) * Matern(0.5, (0.02, 10), nu=2.5)
        process = GaussianProcessRegressor(kernel + WhiteKernel(1e-3, (1e-6, 1)), normalize_y=True)
        with warnings.catch_warnings():
            # Few trials leave some setting at the end of its range, which does no harm.
            warnings.simplefilter("ignore", ConvergenceWarning)
            points = np.array([trial.params for trial in self.trials])
            return process.fit(self._scaled(points), values)

    def _scaled(self, points: np.ndarray) -> np.ndarray:
        return (points - self.policy.low) / (self.policy.high - self.policy.low)

    def _candidates(self, rng: np.random.Generator) -> np.ndarray:
        """Points of the grid that were not tried, shape (m, size), the random ones first."""
        low, high, size = self.policy.low, self.policy.high, self.policy.size
        near = self.candidates // 2
        points = rng.uniform(low, high, (self.candidates - near, size))
        if self.best:
            sizes = (high - low) * 10.0 ** rng.uniform(-2.5, -0.5, (near, 1))
            around = self.best.params + sizes * rng.normal(size=(near, size))
            points = np.vstack([points, around])
        points = np.round(np.clip(points, low, high), self.policy.decimals) + 0.0
        known = {tuple(trial.params.tolist()) for trial in self.trials}
        new = [point for point in points if tuple(point.tolist()) not in known]
        return np.array(new) if new else points  # a small grid may be used up

    @property
    def config(self) -> dict[str, Any]:
        """The settings: see `Brain.config`."""
        return super().config | {"candidates": self.candidates, "seed": self.seed}


class Restarts(Brain):
    """CMA-ES that starts again when it is stuck: BIPOP (Hansen 2009), of the package `cma`.

    The first run starts from the best warm-up point (the middle of the box where there is none),
    each later one from a uniformly random point, alternately with a doubled population and with a
    small one and a small step. A run is stuck by `cma`'s own rules, for whose tolerances the grid
    and the target stand: when its steps are smaller than half the grid's, or when the best values
    of its last 10 + 30 n / population generations differ by less than a hundredth of the target.
    (With `cma`'s tolerances no search of 400 proposals on the mountain car began again to any
    effect.) `cma.fmin2` calls the function that it minimises; here it does so in a
    thread of its own, which waits for each value until it is told.

    sigma
        The first step size, in units of the parameters.
    target
        The highest value there is, where it is known: once it is reached nothing is looked for any
        more, and the best point is proposed again. None: it is not known.
    seed
        Same seed and same values told: same proposals.

    Raises ValueError for a table of actions, and for settings that cannot work.
    """

    def __init__(
        self, policy: Policy, *, sigma: float = 1.0, target: float | None = None, seed: int = 0
    ):
        super().__init__(policy)
        need_quantities(policy, self)
        self.sigma = number("sigma", sigma, above=0)
        self.target = target
        self.seed = number("seed", seed, least=0, whole=True)

    def _forget(self) -> None:
        super()._forget()
        self._points: Queue = Queue()  # from the thread; None at its end
        self._values: Queue = Queue()  # to it
        self._state: Any = None  # of NumPy's global generator, from which `cma` draws

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """The next point of the current run: see `Brain.ask`."""
        kept = np.random.get_state()
        if self._state is None:
            np.random.seed(self.seed)
            Thread(target=self._search, daemon=True).start()
        else:
            np.random.set_state(self._state)
            self._values.put(self.trials[-1].value)
        point = self._points.get()
        self._state = np.random.get_state()
        np.random.set_state(kept)
        if point is None:
            self._points.put(None)
            return Proposal(self.best.params)
        return Proposal(self.policy.to_grid(point))

    def _search(self) -> None:
        import cma

        def cost(point: np.ndarray) -> float:
            self._points.put(point)
            return -self._values.get()

        def start() -> np.ndarray:
            again = any(not trial.warmup for trial in self.trials)
            if again:
                return rng.uniform(self.policy.low, self.policy.high, self.policy.size)
            return self.best.params if self.best else self.policy.middle

        rng = np.random.default_rng(self.seed)
        options = {
            "bounds": [self.policy.low, self.policy.high],
            "seed": np.nan,
            "randn": lambda *shape: rng.standard_normal(shape),
            "tolx": 0.5 * 10.0**-self.policy.decimals,
            "verbose": -9,
        }
        if self.target is not None:
            options |= {"ftarget": -self.target, "tolfunhist": abs(self.target) / 100}
        cma.fmin2(cost, start, self.sigma, options, restarts=10**6, bipop=True)
        self._points.put(None)

    @property
    def config(self) -> dict[str, Any]:
        """The settings: see `Brain.config`."""
        names = ("sigma", "target", "seed")
        return super().config | {name: getattr(self, name) for name in names}
