"""A refusal says what was wrong in a code, in words and by a pointer into the request."""

import copy
import pickle

from domain.errors import RuleViolation, pointer_to


def test_a_refusal_has_its_code_its_words_and_its_pointer() -> None:
    refusal = RuleViolation("unknown_card", "there is no mine", "/card")

    assert (refusal.code, refusal.detail, refusal.pointer) == ("unknown_card", "there is no mine", "/card")
    assert str(refusal) == "unknown_card: there is no mine"


def test_without_words_of_its_own_a_refusal_has_those_of_its_code_and_it_may_point_nowhere() -> None:
    refusal = RuleViolation("not_your_turn")
    assert (refusal.detail, refusal.pointer) == ("not your turn", "")


def test_a_refusal_is_the_same_after_it_was_copied_or_sent_to_another_process() -> None:
    refusal = RuleViolation("unknown_card", "there is no mine", "/card")
    for twin in (copy.copy(refusal), pickle.loads(pickle.dumps(refusal))):
        assert (twin.code, twin.detail, twin.pointer) == ("unknown_card", "there is no mine", "/card")
    assert refusal.args == ("unknown_card", "there is no mine", "/card")


def test_a_pointer_leads_through_names_and_places_with_tildes_and_slashes_escaped() -> None:
    """RFC 6901: `~` is written `~0`, `/` is written `~1`, in this order of escaping."""
    assert pointer_to("players", 0, "a/b~c", "~1") == "/players/0/a~1b~0c/~01"
    assert pointer_to() == ""
