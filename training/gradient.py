"""Backpropagation through the network, and the Adam optimiser."""

import numpy as np

from players.network import Floats, Weights, forward, of_others

DECAYS = (0.9, 0.999)
"""Adam's decay rates of the running means of the gradient and of its square."""


def loss_and_gradient(
    weights: Weights, seats: Floats, table: Floats, targets: Floats
) -> tuple[float, Weights]:
    """The mean cross-entropy between targets and predicted probabilities, and its gradient."""
    found = forward(weights, seats, table)
    hidden, pooled, deep = found.hidden, found.pooled, found.deep
    loss = -float((targets * np.log(found.chances + 1e-9)).sum(axis=1).mean())
    logits: Floats = (found.chances - targets) / seats.dtype.type(len(seats))
    to_deep: Floats = logits[:, :, None] * weights.out
    to_deep *= deep > 0
    to_hidden: Floats = to_deep @ weights.deep.T
    to_hidden += of_others(to_deep @ weights.deep_others.T)
    to_hidden *= hidden > 0
    gradient = Weights(
        _product(seats, to_hidden),
        _product(seats, of_others(to_hidden)),
        table.T @ to_hidden.sum(axis=1),
        to_hidden.sum(axis=(0, 1)),
        _product(hidden, to_deep),
        _product(pooled, to_deep),
        to_deep.sum(axis=(0, 1)),
        _product(deep, logits[:, :, None])[:, 0],
    )
    return loss, gradient


def _product(left: Floats, right: Floats) -> Floats:
    """The sum over rows and seats of the outer products."""
    return np.asarray(left.reshape(-1, left.shape[2]).T @ right.reshape(-1, right.shape[2]))


class Adam:
    """The Adam optimiser: running means of the gradient and of its square."""

    def __init__(self, mean: Weights, square: Weights, steps: int) -> None:
        self.mean = mean
        self.square = square
        self.steps = steps

    def step(self, weights: Weights, gradient: Weights, rate: float) -> None:
        """Update the given weights in place."""
        self.steps += 1
        keep, keep_square = DECAYS
        scale = rate * (1 - keep_square**self.steps) ** 0.5 / (1 - keep**self.steps)
        for weight, mean, square, slope in zip(weights, self.mean, self.square, gradient, strict=True):
            mean += (1 - keep) * (slope - mean)
            square += (1 - keep_square) * (slope * slope - square)
            weight -= np.float32(scale) * mean / (np.sqrt(square) + np.float32(1e-8))


def zeros(weights: Weights) -> Weights:
    """Zeros in the shape of the weights."""
    return Weights(*[np.zeros_like(weight) for weight in weights])


def copy(weights: Weights) -> Weights:
    """A deep copy of the weights."""
    return Weights(*[weight.copy() for weight in weights])
