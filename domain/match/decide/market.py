"""The refill of market rows."""

from domain.match import events as ev
from domain.match.chance import Draws
from domain.match.decide.draft import DraftWith


def refill(draft: DraftWith[Draws], row: int) -> None:
    """Draw until the row shows its number of kinds or its deck is empty.

    A deck has no stored order unless one was given: drawing uniformly from the remaining cards is equivalent
    to turning over a shuffled deck.
    """
    wanted = draft.rules.rows[row].kinds if row >= 0 else 0
    if not wanted:
        return
    state = draft.state
    cards = draft.rules.row_cards[row]
    kinds = sum([1 for card in cards if state.supply[card] > 0])
    if kinds >= wanted:
        return
    name = draft.rules.rows[row].name
    shown = [state.supply[card] for card in cards]
    left = [state.decks[card] for card in cards]
    drawn: list[str] = []
    while kinds < wanted and any(left):
        place = _next(draft, row, len(drawn), cards, left)
        left[place] -= 1
        kinds += shown[place] == 0
        shown[place] += 1
        drawn.append(draft.rules.ids[cards[place]])
    if drawn:
        draft.emit(ev.MarketRefilled(name, tuple(drawn)))


def _next(draft: DraftWith[Draws], row: int, drawn: int, cards: list[int], left: list[int]) -> int:
    """The position of the next card in the row's list: from the top of a given deck, else by chance."""
    state = draft.state
    order = state.deck_orders.get(draft.rules.rows[row].name)
    if order is not None:
        return cards.index(draft.rules.index[order[drawn]])
    return draft.chance.draw(state, row, state.draws[row] + drawn + 1, left)
