"""Optional: what is possible at best: exact values where rules are published, else Q-learning.

A search is good or bad only beside something. FrozenLake, CliffWalking and Taxi publish every
transition, so that values can be computed instead of sampled; where a world is a black box with
numbered states and actions, an old learner that sees every step sets the mark.
"""

from dataclasses import dataclass, field
from itertools import product
from typing import Self

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Discrete
from tqdm import tqdm

from ..settings import number
from .world import World

CLOSE = 1e-12  # values that differ by less differ by rounding only
ALPHA, GAMMA = (0.5, 0.01), 0.99  # of Q-learning: the rate, first and last, and the discount


@dataclass(frozen=True)
class Dynamics:
    """The rules of a world with :math:`S` numbered states and :math:`A` actions, as arrays.

    >>> lake = World("FrozenLake-v1")
    >>> rules = Dynamics.of(lake)
    >>> # Right from state 14: up, stay, goal.
    >>> after = rules.probabilities[14, 2]
    >>> after[[10, 14, 15]].round(2)
    array([0.33, 0.33, 0.33])

    probabilities
        (S, A, S): of each next state, after an action in a state.
    endings
        (S, A, S): the part of it with which the episode ends there.
    rewards
        (S, A): expected reward of the step.
    start
        (S,): probabilities of the first state.
    horizon
        :math:`T`, the step limit of an episode.
    """

    probabilities: np.ndarray
    endings: np.ndarray
    rewards: np.ndarray
    start: np.ndarray
    horizon: int

    @classmethod
    def of(cls, world: World) -> Self:
        """Read from `world.env.unwrapped.P` and `.initial_state_distrib`.

        They describe the bare environment. So it raises ValueError for one that does not publish
        them, for one whose steps depend on more than the state (Taxi's fickle passenger), and for
        a world wrapped by what changes states, actions or rewards.
        """
        bare, env = world.env.unwrapped, world.env
        if not hasattr(bare, "P") or getattr(bare, "fickle_passenger", False):
            raise ValueError(f"{world.env_id} does not publish all its rules: try q_learning.")
        while env is not bare:
            if isinstance(env, gym.ObservationWrapper | gym.ActionWrapper | gym.RewardWrapper):
                raise ValueError(f"{type(env).__name__} changes what {world.env_id} publishes.")
            env = env.env
        states, actions = int(bare.observation_space.n), int(bare.action_space.n)
        probabilities = np.zeros((states, actions, states))
        endings, rewards = np.zeros_like(probabilities), np.zeros((states, actions))
        for s, a in product(range(states), range(actions)):
            for probability, after, reward, terminated in bare.P[s][a]:
                probabilities[s, a, after] += probability
                endings[s, a, after] += probability * terminated
                rewards[s, a] += probability * reward
        start = np.array(bare.initial_state_distrib, dtype=float)
        return cls(probabilities, endings, rewards, start, world.max_steps)


@dataclass(frozen=True)
class Solution:
    """Exact values of a way to act, and what it does.

    value
        The expected return from the start: what the mean of ever more sampled returns tends to.
    values
        (T + 1, S): the expected return from each state with :math:`t` steps to go; 0 for
        :math:`t = 0`.
    actions
        (T + 1, S): the action in each state with :math:`t` steps to go. For :math:`t = 0` none is
        taken; it is 0.
    """

    value: float
    values: np.ndarray = field(repr=False)
    actions: np.ndarray = field(repr=False)


def policy_evaluation(world: World | Dynamics, table: np.ndarray) -> Solution:
    r"""The exact, undiscounted value of a table within the step limit.

    >>> lake = World(
    ...     "FrozenLake-v1", is_slippery=False
    ... )
    >>> right = [2] * 16
    >>> policy_evaluation(lake, right).value
    0.0

    The Bellman equation of a policy, :math:`t` steps before the limit (Sutton and Barto 2018,
    ch. 4.1):

    .. math::

        \begin{aligned}
        V_0(s) &= 0 \\
        V_t(s) &= r(s, a) + \sum_{s'} p(s' \mid s, a) \, V_{t-1}(s')
        \end{aligned}

    Here :math:`a` is the table's action in :math:`s`, :math:`r` its expected reward, and :math:`p`
    the probability that it leads to :math:`s'` and the episode goes on.

    table
        (S,): an action for each state, as for `TablePolicy`.

    Raises ValueError for a table of another shape or with what is not an action's number, and for
    a world that does not publish its transitions.
    """
    rules = _rules(world)
    states, actions = rules.rewards.shape
    table = np.asarray(table, dtype=float)
    if table.shape != (states,) or not np.isin(table, range(actions)).all():
        raise ValueError(f"A table holds {states} actions from 0 to {actions - 1}; got {table}.")
    return _solve(rules, table.astype(int))


def value_iteration(world: World | Dynamics) -> Solution:
    r"""The most that anything can reach within the step limit, and how.

    >>> lake = World("FrozenLake-v1")
    >>> round(value_iteration(lake).value, 4)
    0.7442

    The Bellman optimality equation, :math:`t` steps before the limit (Sutton and Barto 2018,
    ch. 4.4):

    .. math::

        \begin{aligned}
        V_0(s) &= 0 \qquad V_t(s) = \max_a Q_t(s, a) \\
        Q_t(s, a) &= r(s, a) + \sum_{s'} p(s' \mid s, a) \, V_{t-1}(s')
        \end{aligned}

    Here :math:`r` and :math:`p` are those of `policy_evaluation`, now for every action :math:`a`.

    The best action may depend on :math:`t`: with few steps to go a risk can pay that does not pay
    before. No table can do that, so this is a bound for tables (see `best_table`). Of equally good
    actions `actions` holds the one that was best with a step fewer to go, else the lowest.

    Raises ValueError for a world that does not publish its transitions.
    """
    return _solve(_rules(world), None)


def best_table(world: World | Dynamics) -> np.ndarray:
    """A table that no change of one state's action improves: shape (S,), floats.

    >>> lake = World("FrozenLake-v1")
    >>> table = best_table(lake)
    >>> found = policy_evaluation(lake, table)
    >>> round(found.value, 4)
    0.7402

    One table must serve however many steps are left, and finding the best such table is no longer
    a matter of one Bellman equation. This climbs: it starts from what `value_iteration` does with
    all steps to go, makes the one change of one state that helps most, exactly evaluated, and so
    on until none helps. So only a *local* optimum is certain, except where its value equals that
    of `value_iteration`, a bound for all. For FrozenLake-v1 (4×4, slippery, 100 steps) all
    :math:`4^{11}` tables were evaluated once: there it is the best of all.

    Raises ValueError for a world that does not publish its transitions.
    """
    rules = _rules(world)
    bound, (states, actions) = value_iteration(rules), map(np.arange, rules.rewards.shape)
    table = bound.actions[-1]
    value = _solve(rules, table).value
    while value < bound.value - CLOSE:
        changed = [np.where(states == s, a, table) for s, a in product(states, actions)]
        values = [_solve(rules, one).value for one in changed]
        if max(values) <= value + CLOSE:
            break
        value = max(values)
        table = changed[values.index(value)]
    return table.astype(float)


def _rules(world: World | Dynamics) -> Dynamics:
    return world if isinstance(world, Dynamics) else Dynamics.of(world)


def _solve(rules: Dynamics, table: np.ndarray | None) -> Solution:
    """Backwards from the limit, with the table's actions or, without one, the best."""
    every, going_on = np.arange(len(rules.start)), rules.probabilities - rules.endings
    values = np.zeros((rules.horizon + 1, len(every)))
    actions = values.astype(int)
    for t in range(1, rules.horizon + 1):
        scores = rules.rewards + going_on @ values[t - 1]
        # Rounding must not decide between equal actions.
        near_best = scores >= scores.max(axis=1, keepdims=True) - CLOSE
        # An action that stays good is kept: with many steps to go it can also be good to dawdle,
        # but a table that always dawdles never arrives.
        stays = near_best[every, actions[t - 1]]
        best = np.where(stays, actions[t - 1], near_best.argmax(axis=1))
        actions[t] = best if table is None else table
        values[t] = scores[every, actions[t]]
    return Solution(float(rules.start @ values[-1]), values, actions)


@dataclass(frozen=True)
class Learned:
    """What Q-learning learned.

    params
        (S,): the table of the best tried action in each state, the lowest of equals; 0 where none
        was tried. For `TablePolicy`.
    q
        (S, A): the learned value of each action in each state.
    visits
        (S,): how many actions were taken in each state; 0 marks a state that was never met.
    returns
        (episodes,): the return of each episode, exploration included.
    """

    params: np.ndarray
    q: np.ndarray = field(repr=False)
    visits: np.ndarray = field(repr=False)
    returns: np.ndarray = field(repr=False)


def q_learning(
    world: World,
    *,
    episodes: int,
    seed: int,
    epsilon: float | tuple[float, float] = (0.1, 0.0),
    initial: float = 1.0,
    progress: bool | None = None,
) -> Learned:
    r"""Learn a table from every step, by tabular Q-learning with epsilon-greedy actions.

    >>> lake = World("FrozenLake-v1")
    >>> learned = q_learning(
    ...     lake, episodes=1000, seed=0
    ... )
    >>> found = policy_evaluation(
    ...     lake, learned.params
    ... )
    >>> round(found.value, 4)
    0.7402

    After each step from :math:`s` by :math:`a` to :math:`s'` with reward :math:`r` (Watkins and
    Dayan 1992; Sutton and Barto 2018, ch. 6.5):

    .. math::

        \begin{aligned}
        \delta &= r + 0.99 \, \max_{a'} q(s', a') - q(s, a) \\
        q(s, a) &\leftarrow q(s, a) + \alpha \, \delta
        \end{aligned}

    The rate :math:`\alpha` goes from 0.5 to 0.01 in equal steps, one an episode. Where the task
    ended the episode there is nothing after :math:`s'` and the max counts 0. Where only the step
    limit did, it counts: the state is worth no less for it (Pardo et al. 2018).

    episodes, seed
        How many episodes; all chance, the world's too, follows from the seed.
    epsilon
        The share of random actions, in [0, 1]: a number, or a pair (first, last) between which it
        goes in equal steps, one an episode.
    initial
        What :math:`q` starts from. A high one makes every untried action attractive (Sutton and
        Barto 2018, ch. 2.6), which explores better than chance: give the most that :math:`q` can
        be. That is 1 in FrozenLake, where from 0 the goal is hardly found, and
        :math:`1 / (1 - 0.99)` in CartPole.
    progress
        Show a progress bar. None: in a terminal.

    Raises ValueError for a world whose states or actions are not numbered, and for numbers out of
    range.
    """
    spaces = (world.observation_space, world.action_space)
    if not all(isinstance(space, Discrete) for space in spaces):
        raise ValueError(f"Q-learning needs numbered states and actions, which {spaces} are not.")
    states, actions = (int(space.n) for space in spaces)
    episodes = number("episodes", episodes, least=1, whole=True)
    ends = [number("epsilon", end, least=0, most=1) for end in np.broadcast_to(epsilon, 2)]
    schedule = zip(np.linspace(*ALPHA, episodes), np.linspace(*ends, episodes), strict=True)
    rng = np.random.default_rng(seed)
    # Lists, because single numbers are read and written much faster there than in arrays.
    q = [[float(initial)] * actions for _ in range(states)]
    tries = [[0] * actions for _ in range(states)]
    returns, world_seed = [], int(rng.integers(2**31))
    hidden = None if progress is None else not progress
    for alpha, explore in tqdm(schedule, total=episodes, disable=hidden):
        # One seed for all: the environment's generator goes on from episode to episode.
        state, _ = world.env.reset(seed=None if returns else world_seed)
        returns.append(_learn(world.env, state, q, tries, float(alpha), float(explore), rng))
    q, tries = np.array(q), np.array(tries)
    # An untried action still has the initial value, which nothing has confirmed.
    params = np.where(tries > 0, q, -np.inf).argmax(axis=1).astype(float)
    return Learned(params, q, tries.sum(axis=1), np.array(returns))


def _learn(env: gym.Env, state: int, q, tries, alpha, explore, rng) -> float:
    """Play an episode on from its start, and learn from every step; its return."""
    total, terminated, truncated = 0.0, False, False
    while not (terminated or truncated):
        row = q[state]
        action = row.index(max(row))
        if rng.random() < explore:
            action = int(rng.integers(len(row)))
        after, reward, terminated, truncated, _ = env.step(action)
        target = reward if terminated else reward + GAMMA * max(q[after])
        row[action] += alpha * (target - row[action])
        tries[state][action] += 1
        total, state = total + reward, after
    return total
