"""Many searches at once: each plays its own points on its own starts, all episodes side by side.

`World.returns` plays all points on the same starts, and the pole and the lake one episode after
another. Here each point has starts of its own, and the cart with its pole and the lake are arrays,
too. Equal to the last bit: `tests/test_lockstep.py` holds each return against Gymnasium's.
"""

import numpy as np

from propslib import LinearPolicy, World
from propslib.policy.lanes import LinearBatch
from propslib.world.batch import CHUNK, MountainCars, play


class Poles:
    """CartPole-v1, its state in float64; it is shown in float32."""

    def __init__(self, env, starts):
        self.env, self.state = env, starts.T

    @staticmethod
    def start(env, seed):
        """The full state after a reset with the seed."""
        env.reset(seed=seed)
        return env.unwrapped.state

    def observations(self):
        """(4, n)."""
        return self.state.astype(np.float32).astype(float)

    def step(self, actions):
        """Rewards (n,) and which episodes ended (n,), after actions (2, n): scores."""
        env, (_, speed, angle, turn) = self.env, self.state
        force = np.where(actions[1] > actions[0], env.force_mag, -env.force_mag)
        cosine, sine = np.cos(angle), np.sin(angle)
        push = (force + env.polemass_length * np.square(turn) * sine) / env.total_mass
        inertia = 4.0 / 3.0 - env.masspole * np.square(cosine) / env.total_mass
        twist = (env.gravity * sine - cosine * push) / (env.length * inertia)
        drift = push - env.polemass_length * twist * cosine / env.total_mass
        rates = np.array([speed, drift, turn, twist])
        self.state = self.state + env.tau * rates
        far, tilted = np.abs(self.state[[0, 2]])
        ended = (far > env.x_threshold) | (tilted > env.theta_threshold_radians)
        return np.ones(len(ended)), ended

    def keep(self, which):
        """Go on with these columns only."""
        self.state = self.state[:, which]


class Linear:
    """Plays linear policies in MountainCarContinuous-v0 or CartPole-v1."""

    def __init__(self, env_id, **box):
        self.world = World(env_id)
        self.policy = LinearPolicy(self.world, **box)
        self.kind = {"CartPole-v1": Poles}.get(env_id, MountainCars)
        self.starts = {}

    def returns(self, params, seeds):
        """The return of each point (m, size) on each of its seeds (m, n)."""
        seeds = np.asarray(seeds)
        new = set(seeds.ravel().tolist()) - set(self.starts)
        self.starts |= {seed: self.kind.start(self.world.env, seed) for seed in new}
        pairs = [self.policy.matrices(point) for point in params]
        acts = LinearBatch(*(np.stack(part, axis=-1) for part in zip(*pairs, strict=True)))
        point = np.repeat(np.arange(len(params)), seeds.shape[1])
        starts = np.array([self.starts[seed] for seed in seeds.ravel().tolist()])
        chunks = []
        for first in range(0, len(point), CHUNK):
            part = slice(first, first + CHUNK)
            simulation = self.kind(self.world.env.unwrapped, starts[part])
            chunks.append(play(simulation, acts.take(point[part]), self.world.max_steps))
        return np.concatenate(chunks).reshape(seeds.shape)


class Lake:
    """Plays tables in FrozenLake-v1. A table comes as 16 actions, or as 64 preferences."""

    def __init__(self, world):
        self.world, self.draws = world, {}
        rules = world.env.unwrapped.P
        size = (16, 4, max(len(ways) for of in rules.values() for ways in of.values()))
        # The last way is taken whatever is drawn: chances add up to 1.
        self.chances, self.after = np.ones(size), np.zeros(size, int)
        self.rewards, self.ended = np.zeros(size), np.ones(size, bool)
        for state, action in np.ndindex(size[:2]):
            for k, way in enumerate(rules[state][action]):
                chance, after, reward, ended = way
                self.chances[state, action, k] = chance
                self.after[state, action, k], self.rewards[state, action, k] = after, reward
                self.ended[state, action, k] = ended
        self.chances = self.chances.cumsum(axis=-1)

    @staticmethod
    def tables(params):
        """(m, 16) actions, of points (16,) or (64,): state 0's preferences, state 1's, ..."""
        whole = [np.asarray(point) for point in params]
        return np.array(
            [p.reshape(16, -1).argmax(axis=1) if p.size > 16 else p.astype(int) for p in whole]
        )

    def returns(self, params, seeds):
        """The return of each point on each of its seeds (m, n)."""
        seeds, steps = np.asarray(seeds), self.world.max_steps
        for seed in set(seeds.ravel().tolist()) - set(self.draws):
            self.world.env.reset(seed=seed)
            self.draws[seed] = self.world.env.unwrapped.np_random.random(steps)
        draws = np.array([self.draws[seed] for seed in seeds.ravel().tolist()])
        table = np.repeat(self.tables(params), seeds.shape[1], axis=0)
        state, totals = np.zeros(len(table), int), np.zeros(len(table))
        ids = np.arange(len(table))
        for step in range(steps):
            action = table[ids, state]
            way = (self.chances[state, action] > draws[ids, step, None]).argmax(axis=1)
            totals[ids] += self.rewards[state, action, way]
            on = ~self.ended[state, action, way]
            state, ids = self.after[state, action, way][on], ids[on]
        return totals.reshape(seeds.shape)
