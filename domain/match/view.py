"""What a player may know of a match: all that lies on the table, nothing that is still to come."""

from msgspec.structs import replace

from domain.match.state import MatchState


def view(state: MatchState) -> MatchState:
    """The state without the order of given decks and without the tape of scripted dice.

    Where a match has neither, it is the state itself: a player reads it, and copies what it wants to
    change.
    """
    created = state.created
    assert created is not None, "the match was not created"
    if not state.deck_orders and not created.dice.throws:
        return state
    seen = state.copy()
    seen.deck_orders = {}
    seen.created = replace(created, dice=replace(created.dice, throws=()), position=None)
    return seen
