"""The table as HTML for notebooks, with the pictures, shapes and colours of the service's pages.

All of it stands in attributes: no script, no style sheet and nothing to load. So it looks the same in any
notebook, and changes nothing around it.
"""

from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files
from typing import Final

import msgspec
from msgspec import Struct

from domain.match.cards import Card
from domain.match.state import MatchState
from machi_koro_rules.table import City, Row, Stack, cities, dice_text, heading, held, market, numbers


class Drawings(Struct, frozen=True):
    """What the pages draw with. `make golden` writes the file from their sources."""

    colours: dict[str, str]
    """By name of a token of the light theme."""
    badges: dict[str, str]
    """By colour of a card: the path of its shape, so that colour never stands alone."""
    relatives: dict[str, str]
    """By symbol: the establishment whose picture serves for a card that nobody has drawn."""
    establishments: dict[str, tuple[str, ...]]
    """By card: its layers on 64 by 48 units, each the letter of an ink, a space and a path."""
    landmarks: dict[str, tuple[str, ...]]
    """The same on 48 by 40 units; the first layer is the silhouette."""


@cache
def drawings() -> Drawings:
    """The content of the file."""
    return msgspec.json.decode(files(__package__).joinpath("drawings.json").read_bytes(), type=Drawings)


_LINE: Final = 'fill="none" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"'
_SEATS: Final = ("blue", "red", "green", "purple", "orange")
"""The names of the colours of the seats."""
_TIMES: Final = "\N{MULTIPLICATION SIGN}"
_FACES: Final = {
    1: ((16, 16),),
    2: ((9, 9), (23, 23)),
    3: ((9, 9), (16, 16), (23, 23)),
    4: ((9, 9), (23, 9), (9, 23), (23, 23)),
    5: ((9, 9), (23, 9), (16, 16), (9, 23), (23, 23)),
    6: ((9, 9), (23, 9), (9, 16), (23, 16), (9, 23), (23, 23)),
}
"""By value of a die: where its pips are on 32 by 32 units."""


def html_of(state: MatchState) -> str:
    """The turn and the dice, the cities, and the market."""
    colours = drawings().colours
    dice = (
        f'<span title="dice: {dice_text(state)}">{"".join(map(_die, state.dice))}</span>'
        if state.dice
        else ""
    )
    added = f" <b>+{state.added}</b>" if state.added else ""
    return (
        f'<div style="color-scheme:light;background:{colours["paper"]};color:{colours["ink"]};padding:12px;'
        'border-radius:12px;font:14px/1.4 system-ui,sans-serif;max-width:75rem">'
        f'<p style="margin:0 0 8px;font-size:1.2em;font-weight:600">{escape(heading(state))} {dice}{added}'
        f"</p>{_wrapped(map(_city, cities(state)), 12)}{''.join(map(_row, market(state)))}</div>"
    )


def _wrapped(parts: Iterable[str], gap: int) -> str:
    """Side by side, on as many lines as it takes; `gap` in px."""
    return f'<div style="display:flex;flex-wrap:wrap;gap:{gap}px;margin-top:8px">{"".join(parts)}</div>'


def _city(city: City) -> str:
    colours = drawings().colours
    seat = colours[_SEATS[city.seat]]
    shadow = f";box-shadow:0 0 0 2px {seat}" if city.is_active else ""
    return (
        f'<div style="flex:1 1 320px;padding:10px;border:1px solid {colours["line"]};'
        f'border-left:6px solid {seat};border-radius:12px;background:{colours["surface"]}{shadow}">'
        f"<b>{escape(city.name)}</b> {_coin(city.coins, 30)}"
        f'<span style="float:right;color:{colours["faint"]}" title="landmarks">{city.goal}</span>'
        f"{_wrapped(map(_landmark, city.landmarks), 6)}{_wrapped(map(_held, city.establishments), 6)}</div>"
    )


def _row(row: Row) -> str:
    faint = drawings().colours["faint"]
    left = (
        f' <small style="color:{faint}">{row.left} more in the deck</small>' if row.left is not None else ""
    )
    return (
        f'<p style="margin:12px 0 0"><b>For sale: {escape(row.name)}</b>{left}</p>'
        f"{_wrapped([_tile(one, _coin(one.price, 20)) for one in row.stacks], 6)}"
    )


def _held(stack: Stack) -> str:
    return _tile(stack, "")


def _tile(stack: Stack, cost: str) -> str:
    """A card with its numbers, shape, picture, price and copies."""
    card, colours = stack.card, drawings().colours
    count = f"{_TIMES}{held(stack)}" if stack.copies > 1 or stack.closed else ""
    return (
        f'<div style="box-sizing:border-box;width:84px;padding:3px 5px;border:1px solid {colours["line"]};'
        f"border-top:4px solid {_tone(card)};border-radius:8px;background:{colours['raised']};"
        f'text-align:center" title="{escape(_told(stack))}">'
        f'<div style="display:flex;justify-content:space-between"><b>{numbers(card)}</b>{_badge(card)}</div>'
        f"{_picture(card, colours['raised'])}"
        '<div style="display:flex;justify-content:space-between;align-items:center;min-height:20px">'
        f"<span>{cost}</span><b>{count}</b></div>"
        f'<div style="font-size:11px;line-height:1.15;min-height:2.3em">{escape(card.name)}</div></div>'
    )


def _landmark(stack: Stack) -> str:
    """A landmark: its picture if it is built, else its outline and its price."""
    card, surface = stack.card, drawings().colours["surface"]
    layers = _landmark_layers(card)
    if stack.copies:
        drawn, cost = "".join(_layer(one, _tone(card), surface) for one in layers), ""
    else:
        faint = drawings().colours["faint"]
        plan = f'<path fill="none" stroke="{faint}" stroke-width="1.4" stroke-dasharray="2.8 2.4"'
        drawn, cost = f'{plan} d="{layers[0][2:]}"/>', _coin(stack.price, 18)
    return f'<span title="{escape(_told(stack))}">{_svg("0 0 48 40", 50, drawn)}{cost}</span>'


def _told(stack: Stack) -> str:
    """What is seen of a card, in words."""
    card = stack.card
    if card.kind == "landmark" and not stack.copies:
        return f"{card.name}: not built, costs {stack.price}"
    words = [card.colour or card.kind, numbers(card), f"costs {stack.price}", f"{stack.copies} here"]
    return f"{card.name}: {', '.join(filter(None, words))}"


def _colour(card: Card) -> str:
    return card.colour or "gold"


def _tone(card: Card) -> str:
    return drawings().colours[_colour(card)]


def _picture(card: Card, behind: str) -> str:
    known = drawings()
    if card.id in known.establishments or card.symbol in known.relatives:
        layers = known.establishments.get(card.id) or known.establishments[known.relatives[card.symbol]]
        drawn = "".join(_layer(one, _tone(card), behind) for one in layers)
    else:
        drawn = "".join(_layer(one, _tone(card), behind) for one in _landmark_layers(card))
        drawn = f'<g transform="translate(8 5)">{drawn}</g>'
    ground = f'<path {_LINE} stroke="{_soft(_tone(card))}" d="M4 46h56"/>'
    return _svg("0 0 64 48", 50, ground + drawn)


def _landmark_layers(card: Card) -> tuple[str, ...]:
    known = drawings().landmarks
    return known.get(card.id, known["town_hall"])


def _layer(layer: str, tone: str, behind: str) -> str:
    """A path in its ink: the first tone, the second, or the paper; filled, set off by a rim, or as a line."""
    ink, path = layer[0], layer[2:]
    paint = {"a": tone, "c": tone, "b": _soft(tone), "d": _soft(tone), "p": behind}.get(ink.lower(), tone)
    if ink.isupper():
        return f'<path {_LINE} stroke="{paint}" d="{path}"/>'
    rim = (
        f' stroke="{behind}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"'
        if ink in "cd"
        else ""
    )
    return f'<path fill="{paint}" fill-rule="evenodd"{rim} d="{path}"/>'


def _soft(tone: str) -> str:
    return f"color-mix(in oklab, {tone} 45%, {drawings().colours['surface']})"


def _badge(card: Card) -> str:
    shapes = drawings().badges
    path = shapes.get(_colour(card), shapes["gold"])
    return _svg("0 0 16 16", 14, f'<path fill="{_tone(card)}" d="{path}"/>')


def _coin(amount: int, width: int) -> str:
    size = 14.5 - 2 * len(str(amount))
    drawn = (
        '<circle cx="12" cy="12" r="11" fill="#f0c23f"/>'
        '<circle cx="12" cy="12" r="8.8" fill="none" stroke="#a87a0c"/>'
        f'<text x="12" y="12.5" text-anchor="middle" dominant-baseline="central" font-size="{size}" '
        f'font-weight="700" fill="#3b2c00">{amount}</text>'
    )
    return _svg("0 0 24 24", width, drawn)


def _die(value: int) -> str:
    colours = drawings().colours
    pips = "".join(f'<circle cx="{x}" cy="{y}" r="3" fill="{colours["ink"]}"/>' for x, y in _FACES[value])
    face = f'fill="{colours["raised"]}" stroke="{colours["accent"]}" stroke-width="3"'
    return _svg("0 0 32 32", 32, f'<rect x="2" y="2" width="28" height="28" rx="7" {face}/>{pips}')


def _svg(box: str, width: int, drawn: str) -> str:
    style = f"width:{width}px;height:auto;vertical-align:middle"
    return f'<svg viewBox="{box}" width="{width}" style="{style}" aria-hidden="true">{drawn}</svg>'
