"""The rules of a ruleset in short, for a reader who knows no other document: a language model."""

from collections.abc import Iterable

from contract.catalogue import Card, Ruleset

_TURN = """\
A turn, in this order:
1. Roll one die, or two if the legal moves list that as well.
2. Cards with the number of the total take effect. Red cards of the other players first: the player who rolled
   pays each owner, as far as the coins go. Then blue cards of all players, and green cards of the player who
   rolled. Then purple cards of the player who rolled.
3. Build one establishment or one landmark that you can pay, or pass. That ends the turn.
You only roll on your own turn, but blue and red cards pay you on the turns of others. Each copy of a card
takes effect by itself. What is written with a landmark holds once it is built."""


def rules_in_short(ruleset: Ruleset, cards: Iterable[Card]) -> str:
    """The goal, the start, the course of a turn, and what each card costs and does."""
    players, goal, start = ruleset.players, ruleset.goal, ruleset.start
    alone = f", or {goal.instant} alone" if goal.instant else ""
    city = ", ".join(f"{count} {card}" for card, count in start.establishments.items()) or "no cards"
    lines = [
        f"Rules of {ruleset.name} ({ruleset.id}), for {players.min} to {players.max} players.",
        f"Who first builds {goal.landmarks} landmarks{alone}, wins at once.",
        f"Each player starts with {start.coins} coins and {city}.",
    ]
    if start.building_rounds:
        lines.append(
            f"Before the first roll there are {start.building_rounds} building rounds: in each, every player "
            "builds one establishment or passes."
        )
    return "\n".join([*lines, _TURN, "Cards:", *map(_line, cards)])


def _line(card: Card) -> str:
    """A card on one line: what it is, when it takes effect, what it costs and what it does."""
    look = " ".join(word for word in (card.colour, card.symbol) if word)
    kind = f"{card.kind}, {look}" if look else card.kind
    rolls = f", on {'/'.join(map(str, card.activation))}" if card.activation else ""
    return f"- {card.id} = {card.name} ({kind}{rolls}, {_price(card)}): {card.text}"


def _price(card: Card) -> str:
    if card.costs:
        return f"costs {'/'.join(map(str, card.costs))} for a builder with 0/1/2 or more landmarks"
    return f"costs {card.cost or 0}"
