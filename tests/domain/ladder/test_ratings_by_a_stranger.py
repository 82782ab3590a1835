"""The whole table computed by docs/ladders.md alone: no code of `domain.ladder` has a part in it."""

from hashlib import shake_256
from typing import Any

import numpy as np
import pytest

from domain.ladder.ratings import rate
from domain.ladder.results import Results
from tests.domain.ladder.simulated import collect, config, season

REPLICATES = 40
COUNTS = [0] * 95 + [1] * 93 + [2] * 47 + [3] * 16 + [4] * 4 + [5]


def bytes_of(results: Results, label: str, replicate: int, length: int) -> bytes:
    return shake_256(f"{results.ladder.config.seed} {label} {replicate}".encode()).digest(length)


def likeliest(results: Results, ids: list[str], counts: Any, virtual: Any) -> Any:
    """Rating points by entry, from a maximum found by scipy."""
    from scipy.optimize import minimize  # slow to import

    size, seats = len(ids), results.ladder.config.seats
    anchor = ids.index("ent_expected_value") if "ent_expected_value" in ids else size

    def unlikely(x: Any) -> float:
        strengths, factors = np.append(x[:size], 0.0), np.append(0.0, x[size:])
        strengths = strengths - strengths[anchor] if anchor < size else strengths
        total = 0.0
        for block, count in zip(results.blocks, counts, strict=True):
            for match in block.results:
                table = [strengths[ids.index(entry)] for entry in match.seats] + factors
                total += count * (table[match.winner] - np.log(np.exp(table).sum()))
        for i in range(size):
            if i != anchor:
                between = strengths[i] - strengths[anchor]
                total -= virtual[2 * i] * np.log1p(np.exp(-between)) / 2
                total -= virtual[2 * i + 1] * np.log1p(np.exp(between)) / 2
        chances = factors - np.log(np.exp(factors).sum())
        total += (chances * virtual[2 * size :]).sum() / 2
        # Moving all strengths together changes nothing where there is an anchor.
        return float(-total + (x[anchor] ** 2 if anchor < size else 0))

    found = minimize(unlikely, np.zeros(size + seats - 1), method="BFGS", options={"gtol": 1e-6}).x[:size]
    found = found - (found[anchor] if anchor < size else found.mean())
    return 1500 + 400 / np.log(10) * found


@pytest.mark.parametrize(
    ("best", "seats"), [pytest.param("expected_value", 3, marks=pytest.mark.long), ("greedy", 2)]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_stranger_finds_the_same_table(best: str, seats: int) -> None:
    factors = (1.0, 0.8, 0.6)[:seats]
    settings = config(seats, replicates=REPLICATES)
    results = collect(season({best: 2.0, "a": 1.0, "b": 0.5, "c": 0.2}, factors, 14, 3, settings))
    ids, virtual = [entry.entry for entry in results.entries], 2 * 4 + seats
    estimate = likeliest(results, ids, [1] * 14, np.ones(virtual))
    replicates = []
    for i in range(REPLICATES):
        counts = [COUNTS[byte] for byte in bytes_of(results, "blocks", i, 14)]
        shares = np.array(
            [-np.log((2 * byte + 1) / 512) for byte in bytes_of(results, "virtual", i, virtual)]
        )
        replicates.append(likeliest(results, ids, counts, shares))
    ordered = np.sort(np.array(replicates), axis=0)

    for rating in rate(results).entries:
        i = ids.index(rating.entry)
        assert rating.rating == pytest.approx(estimate[i], abs=0.06)
        low, high = min(ordered[1][i], estimate[i]), max(ordered[-2][i], estimate[i])
        assert rating.rating_interval == pytest.approx((low, high), abs=0.1)
