"""The measurement of rollouts counts intervals and compares variances."""

import numpy as np
import pytest

from training.rollout_error import Covered, variance_shares


def test_an_interval_holds_if_the_true_loss_against_the_best_one_found_is_in_it() -> None:
    losses = [(0.05, 0.02, 0.08), (0.0, 0.0, 0.0), (0.2, 0.1, 0.3)]

    assert Covered.from_losses(losses, [0.45, 0.5, 0.3]) == (2, 2)
    assert Covered.from_losses(losses, [0.45, 0.5, 0.45]) == (2, 1)
    assert Covered.from_losses(losses, [0.55, 0.5, 0.3]) == (2, 1)


def test_variances_are_relative_to_independent_rollouts() -> None:
    """Half of the luck is that of the first pair of dice, and all of it is common to both commands."""
    rng = np.random.default_rng(1)
    luck = rng.standard_normal(36) + rng.standard_normal((400, 36))
    stratified, common, both, later = variance_shares(np.stack([luck, luck + 0.1]))

    assert stratified == pytest.approx(0.5, abs=0.2)
    assert (common, both, later) == pytest.approx((0, 0, 0), abs=1e-9)

    apart = rng.standard_normal((2, 400, 36))
    assert variance_shares(apart) == pytest.approx([1, 1, 1, 1], abs=0.2)
