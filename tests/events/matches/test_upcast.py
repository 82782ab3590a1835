"""Events of old schemas are decoded and shown. There are none yet, so these tests make some up."""

from events.store.chain import Codec
from events.store.recorded import Form, forms, recorded_form
from tests.domain.old_schemas import STEPS, CoinsFound


def test_an_old_event_is_decoded_by_way_of_its_steps() -> None:
    """The decoder knows no tag of an old schema and falls back to the steps."""
    codec = Codec("match_id", tuple[CoinsFound, ...], {"coins_found": CoinsFound}, tuple, STEPS)
    stored = b'[["coins_found",1,5],["coins_found.3",[2],4,"park"]]'
    assert codec.decode(stored) == (CoinsFound((1,), 5, "street"), CoinsFound((2,), 4, "park"))


def test_the_api_shows_an_old_event_as_it_was_recorded() -> None:
    """Its hash covers that form; the steps are for the state alone."""
    known = forms({"coins_found": CoinsFound}, STEPS)
    assert known["coins_found.3"] == Form("coins_found", 3, ("seats", "coins", "place"))
    assert recorded_form(["coins_found", 1, 5], known) == ("coins_found", 1, {"seat": 1, "coins": 5})
    assert recorded_form(["coins_found.2", 1, 5, "park"], known).schema == 2
