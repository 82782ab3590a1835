"""What the tests of remote bots in ladders share: playing what is under way, well or not at all."""

import random
from collections.abc import Sequence

import msgspec

from domain import legal_commands
from domain.ladder.config import Suspension
from domain.match.commands import ExpireClock
from domain.match.state import RUNNING
from events.matches import refusals
from events.matches.projections import controller_kind
from events.store import keys
from events.store.keys import now_ms
from tests.workers.kit import Place
from tests.workers.ladder_kit import QUICK, Ladder
from workers.ladders.bots import MOST_LATE
from workers.turns import decisions

OFTEN = msgspec.structs.replace(QUICK, silence_s=0)
"""Who no longer answers is looked for by every job."""


def ladder_with_bots(place: Place) -> Ladder:
    """A built-in player and three bots, which are suspended for faults in two of their last four matches."""
    found = Ladder(place, suspension=Suspension(window=4, most_faults=1, probes=2))
    found.enter("random")
    found.enter_bots("ada", "bob", "cleo")
    return found


def running(ladder: Ladder) -> list[str]:
    return sorted(ladder.place.matches.store.members(keys.index("status:running"), None, 500))


def play_matches(ladder: Ladder, late: str = "", wrong: str = "") -> None:
    """Play what is under way to its end, the bots over the front door, built-in players as the workers do.

    The bot `late` lets its clock run out once in every match, `wrong` sends a command that is refused.
    """
    for match_id in running(ladder):
        _play_match(ladder.place, match_id, f"acc_{late}", f"acc_{wrong}")


def _play_match(place: Place, match_id: str, late: str, wrong: str) -> None:
    rng = random.Random(match_id)
    left = {late, wrong}
    while (state := place.matches.load(match_id).state).status == RUNNING:
        if controller_kind(state) == "strategy":
            decisions.play(place.matches, [(match_id, state.version)])
            continue
        taken = state.controllers[state.active]
        assert taken is not None
        if taken.id in left and taken.id == late:
            left.remove(late)
            place.matches.execute(match_id, ExpireClock(state.active), "service")
            continue
        if taken.id in left and taken.id == wrong:
            left.remove(wrong)
            refusal = refusals.Refusal(now_ms(), "validation_failed", "/dice", state.version)
            refusals.record(place.queue_client, match_id, state.active, refusal)
        command = rng.choice(legal_commands(state))
        place.matches.execute(match_id, command, f"seat:{state.active}")


def play_round(ladder: Ladder, number: int = 1, late: str = "", wrong: str = "") -> None:
    for _ in range(20):
        ladder.play(number)
        if ladder.round(number).status == "finished":
            return
        play_matches(ladder, late, wrong)
    raise AssertionError("it did not come to an end")


def let_clocks_run_out(ladder: Ladder, match_ids: Sequence[str]) -> None:
    """Nobody at these tables answers any more."""
    for match_id in match_ids:
        for _ in range(4 * MOST_LATE + 8):
            state = ladder.place.latest(match_id).state
            ladder.place.matches.execute(match_id, ExpireClock(state.active), "service")


def sits(ladder: Ladder, match_id: str, account: str) -> bool:
    return account in ladder.place.latest(match_id).state.accounts


def expire(ladder: Ladder, account: str, most: int = 1000) -> None:
    """The account's clock runs out at every decision, or at so many of each match; others play on."""
    for match_id in running(ladder):
        rng, left = random.Random(match_id), most
        while left and (state := ladder.place.matches.load(match_id).state).status == RUNNING:
            taken = state.controllers[state.active]
            assert taken is not None
            if taken.id == account:
                left -= 1
                ladder.place.matches.execute(match_id, ExpireClock(state.active), "service")
            elif controller_kind(state) == "strategy":
                decisions.play(ladder.place.matches, [(match_id, state.version)])
            else:
                command = rng.choice(legal_commands(state))
                ladder.place.matches.execute(match_id, command, f"seat:{state.active}")
