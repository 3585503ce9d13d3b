"""Optional: many linear behaviours at once, for worlds that play a batch of episodes."""

from typing import Self

import numpy as np


class LinearBatch:
    """n linear behaviours at once, each for its own state: `_linear_map` over columns.

    weights, bias
        (inputs, outputs, n) and (outputs, n).
    """

    def __init__(self, weights: np.ndarray, bias: np.ndarray):
        self.weights, self.bias, self.size = weights, bias, bias.shape[-1]

    def take(self, which: np.ndarray) -> Self:
        """The behaviours with these numbers, each as often as it is named."""
        return LinearBatch(self.weights.take(which, axis=-1), self.bias.take(which, axis=-1))

    def __call__(self, states: np.ndarray) -> np.ndarray:
        """The actions (outputs, n) in states (inputs, n)."""
        terms = self.weights * states[:, None]
        pairs = terms[:-1:2] + terms[1::2]
        last = terms[2 * len(pairs) :]  # one, where their number is odd
        return sum([*pairs, *last, self.bias])
