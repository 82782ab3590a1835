import json
from html.parser import HTMLParser

import pytest

import machi_koro_rules as mk
from domain.match.rulesets import CURRENT
from machi_koro_rules.drawing import drawings
from tests.golden import drawings as golden
from tests.marks import long_unless

HOSTILE = '</div><script>alert("1")</script>\x1b[2J\u202e'


class Seen(HTMLParser):
    """The elements, attributes and text of a page; fails if elements are not closed in their order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self._open.append(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("ruleset", long_unless(["base", "machi_koro_2"], mk.RULESETS))
def test_text_and_html_show_the_same_table(ruleset: str) -> None:
    game = mk.new_game(ruleset, seed=3, names=["ada", "bob"])
    for _ in range(60):
        game = game if game.is_over else game.apply(game.choose("greedy"))
        state, text, seen = game.state, game.render(), Seen(game._repr_html_())
        shown = [seat for seat in range(2) if f"{state.landmarks[seat]}/{state.rules.goal}" in seen.text]
        assert shown == [0, 1]
        assert text.splitlines()[0] in seen.text
        for place, card in enumerate(state.rules.cards):
            if state.supply[place] or any(city[place] for city in state.cities):
                assert card.name in text
                assert any(one.startswith(f"{card.name}: ") for one in seen.attributes["title"])


def test_a_table_has_nothing_that_runs_loads_or_reaches_the_page_around_it() -> None:
    for ruleset in mk.RULESETS:
        seen = Seen(mk.new_game(ruleset, seats=5, seed=1).play("random")._repr_html_())
        assert seen.names <= {"b", "circle", "div", "g", "p", "path", "rect", "small", "span", "svg", "text"}
        assert not {name for name in seen.attributes if name.startswith("on")}
        assert not {"id", "class", "href", "src", "xlink:href"} & {*seen.attributes}
        assert not [one for one in seen.attributes["style"] if "url" in one]


def test_names_of_players_are_text_and_move_no_cursor() -> None:
    game = mk.new_game(seed=1, names=[HOSTILE, "\x1b"], first_seat=0)
    page = game._repr_html_()
    assert "script" not in Seen(page).names
    assert '</div><script>alert("1")</script>' in Seen(page).text
    for shown in (page, game.render()):
        assert not {"\x1b", "\u202e"} & {*shown}
    assert "seat 1" in game.render()


def test_a_table_is_told_in_lines() -> None:
    game = mk.new_game("base", seed=1, names=["ada", "bob"], first_seat=0)
    assert str(game) == game.render()
    lines = game.render().splitlines()
    assert lines[0] == "Turn 1: ada is to act (roll)."
    assert [line.split() for line in lines[2:8]] == [
        [">", "ada", "bob"],
        ["coins", "3", "3"],
        ["landmarks", "0/4", "0/4"],
        ["1", "Wheat", "Field", "blue", "1", "1"],
        ["2-3", "Bakery", "green", "1", "1"],
        ["Train", "Station", "landmark", "-", "-"],
    ]
    assert lines[13].split() == ["card", "colour", "price", "left"]
    assert repr(game) == "<Game base: turn 1, seat 0 to act (roll), 5 events>"


def test_how_a_match_ended_is_told() -> None:
    game = mk.new_game("base", seed=1, names=["ada", "bob"])
    assert game.apply(mk.commands.Resign(0)).render().startswith("bob has won in turn 1 (resignation).")
    assert "ada (resigned)" in game.apply(mk.commands.Resign(0)).render()


def test_pictures_shapes_and_colours_are_those_of_the_pages() -> None:
    """`make golden` writes the file."""
    assert json.loads(golden.FILE.read_bytes()) == golden.drawings()


def test_every_card_has_a_picture() -> None:
    known = {*drawings().establishments, *drawings().landmarks}
    assert {card.id for one in CURRENT.values() for card in (*one.establishments, *one.landmarks)} <= known
