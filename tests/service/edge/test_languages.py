"""In which language cards are told: `?lang=`, else `Accept-Language`, else English."""

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request

from domain.languages.names import LANGUAGES, card_name
from domain.languages.texts import card_text
from domain.match.rulesets import CURRENT
from service.catalogue.catalogue import cards_mark, mark, present_cards
from service.edge.languages import best_language

CARDS = "/v1/rulesets/base/cards"


def accepted(header: str) -> str:
    """The language that the header gets."""
    environ = EnvironBuilder(headers={"Accept-Language": header}).get_environ()
    return best_language(Request(environ).accept_languages)


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("uk", "uk"),
        ("uk-UA", "uk"),
        ("UK-ua", "uk"),
        ("it_IT", "it"),
        ("cs-Latn-CZ", "cs"),
        ("ru, uk", "ru"),
        ("uk, ru", "uk"),
        ("ru;q=0.3, cs;q=0.9, it;q=0.5", "cs"),
        ("en;q=0.5, uk-UA", "uk"),
        ("uk-UA, en;q=0.5", "uk"),
        ("de-CH, fr;q=0.9, it;q=0.1", "it"),
        ("uk-UA, ru;q=0.9, uk;q=0.8", "uk"),
        ("it;q=0.001", "it"),
    ],
)
def test_the_language_that_the_client_likes_best_is_chosen(header: str, language: str) -> None:
    assert accepted(header) == language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("*", "en"),
        ("de, *", "en"),
        ("*, cs", "cs"),
        ("*;q=0.1, cs", "cs"),
        ("*;q=0.9, cs;q=0.1", "en"),
        ("en;q=0, *", "uk"),
        ("en;q=0.2, *;q=0.5", "uk"),
        ("en;q=0, uk;q=0, *;q=0.5", "ru"),
        ("*-CH, it;q=0.5", "it"),
    ],
)
def test_a_star_stands_for_the_languages_that_are_not_named(header: str, language: str) -> None:
    assert accepted(header) == language


@pytest.mark.parametrize(
    "header",
    ["", "de", "ja, zh-Hant;q=0.9", "uk;q=0", "uk;q=0, uk-UA", "*;q=0", "uk;q=2", "uk;q=much", "ukr", ";;,"],
)
def test_english_is_the_answer_where_nothing_is_acceptable(header: str) -> None:
    assert accepted(header) == "en"


@given(st.text(st.characters(max_codepoint=255, exclude_categories=["Cc"])))
def test_any_header_gets_one_of_the_languages(header: str) -> None:
    assert accepted(header) in LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ruleset", CURRENT)
def test_cards_are_told_in_the_language_asked_for(client: FlaskClient, ruleset: str, language: str) -> None:
    by_query = client.get(f"/v1/rulesets/{ruleset}/cards?lang={language}")
    by_header = client.get(f"/v1/rulesets/{ruleset}/cards", headers={"Accept-Language": language})
    book = CURRENT[ruleset]
    names = [card_name(book, card.id, language) for card in (*book.establishments, *book.landmarks)]
    texts = [card_text(book, card, language) for card in (*book.establishments, *book.landmarks)]

    assert by_query.json == by_header.json
    assert [card["name"] for card in by_query.json["items"]] == [name.name for name in names]
    assert [card["name_source"] == "service" for card in by_query.json["items"]] == [
        name.is_ours for name in names
    ]
    assert [card["text"] for card in by_query.json["items"]] == texts
    assert {card["language"] for card in by_query.json["items"]} == {language}


def test_a_name_says_whether_it_is_printed(client: FlaskClient) -> None:
    told = {card["id"]: card for card in client.get(f"{CARDS}?lang=uk").json["items"]}

    assert (told["bakery"]["name"], told["bakery"]["name_source"]) == ("Пекарня", "rulebook")
    assert told["ranch"]["name_source"] == "service"


def test_the_parameter_goes_before_the_header(client: FlaskClient) -> None:
    answer = client.get(f"{CARDS}?lang=cs", headers={"Accept-Language": "it"})

    assert answer.headers["Content-Language"] == "cs"


def test_the_answer_names_its_language_and_that_the_header_chose_it(client: FlaskClient) -> None:
    for query, header, language in (("", "it-CH", "it"), ("?lang=ru", "it", "ru"), ("", "ja", "en")):
        answer = client.get(CARDS + query, headers={"Accept-Language": header})
        assert answer.status_code == 200
        assert answer.headers["Content-Language"] == language
        assert answer.headers["Vary"] == "Accept-Language, Accept-Encoding"


@pytest.mark.parametrize("lang", ["de", "UK", "uk-UA", "", "*"])
def test_a_parameter_that_is_no_language_of_ours_is_refused(client: FlaskClient, lang: str) -> None:
    answer = client.get(CARDS, query_string={"lang": lang}, headers={"Accept-Language": "uk"})

    assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
    assert [error["pointer"] for error in answer.json["errors"]] == ["/lang"]


def test_every_language_has_its_own_etag(client: FlaskClient) -> None:
    etags = {
        client.get(f"/v1/rulesets/{ruleset}/cards?lang={language}").headers["ETag"]
        for ruleset in CURRENT
        for language in LANGUAGES
    }

    assert len(etags) == len(CURRENT) * len(LANGUAGES)


def test_the_etag_changes_with_a_text() -> None:
    cards = present_cards("base", "uk")
    reworded = (replace(cards[0], text="Банк платить вам."), *cards[1:])

    assert mark(reworded) != mark(cards) == cards_mark("base", "uk")


def test_what_is_held_in_one_language_is_no_answer_in_another(client: FlaskClient) -> None:
    held = {"If-None-Match": client.get(f"{CARDS}?lang=uk").headers["ETag"]}
    same = client.get(CARDS, headers={**held, "Accept-Language": "uk"})
    other = client.get(CARDS, headers={**held, "Accept-Language": "ru"})

    assert (same.status_code, other.status_code) == (304, 200)
    assert same.headers["ETag"] == held["If-None-Match"]
    assert same.headers["Vary"] == "Accept-Language, Accept-Encoding"
