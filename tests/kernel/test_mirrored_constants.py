"""The kernel mirrors constants of the players, so that both choose alike."""

from typing import Any

import pytest

from kernel import (
    afterstates,
    expected_value,
    features,
    learned,
    lookahead,
    outlook,
    policies,
    race,
    token_choices,
)
from kernel import workspaces as at
from kernel.layout import BOATS_MEAN
from players import choices, distance, forecast, tokens
from players import features as players_features
from players import learned as players_learned
from players import lookahead as players_lookahead
from players import outlook as players_outlook
from players.exact_race import sweeps


@pytest.mark.parametrize(
    ("mirrored", "original"),
    [
        (afterstates._FEW_TRADES, players_lookahead.FEW_TRADES),
        (afterstates._SAME, 10**players_lookahead.COMPARED_DECIMALS),
        (lookahead.MORE_COINS, players_lookahead.MORE_COINS),
        (lookahead.RANKED_ROLLS, players_lookahead.RANKED_ROLLS),
        (lookahead._fine(1.0), 10**players_lookahead.EQUAL_DECIMALS),
        (learned._CLOSE_UNITS, players_learned.CLOSE_UNITS),
        (at.MOST_CLOSE, players_learned.MOST_CLOSE),
        (expected_value._SHARE, distance.SHARE),
        (expected_value._FEWEST_ROUNDS, distance.FEWEST_ROUNDS),
        (expected_value._MOST_ROUNDS, distance.MOST_ROUNDS),
        (outlook._LEAST_INCOME, players_outlook.LEAST_INCOME),
        (policies._EQUAL, choices.EQUAL),
        (race._EQUAL, sweeps.EQUAL),
        (token_choices._ROUNDS, tokens.ROUNDS),
        (features._OUT_OF_REACH, players_features._OUT_OF_REACH),
        (BOATS_MEAN, forecast.BOATS_MEAN),
    ],
)
def test_a_constant_of_the_kernel_is_that_of_the_players(mirrored: Any, original: Any) -> None:
    assert mirrored == original
