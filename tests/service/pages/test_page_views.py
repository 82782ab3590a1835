"""What the service answers at the addresses of pages and their files."""

import gzip
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from service.edge import answers
from service.pages.assets import assets, digest
from tests.samples import samples_in

MATCH = "mat_00000000000000000000000000"
TABLE, EMBEDDED = f"/matches/{MATCH}", f"/embed/matches/{MATCH}"
PATHS = (
    "/",
    "/new",
    TABLE,
    EMBEDDED,
    f"{TABLE}/review",
    "/verify",
    f"{TABLE}/verify",
    "/ladders",
    "/ladders/lad_0",
    "/account",
    "/docs",
)
"""One of each rule, whatever it names: the script of the page finds out whether that exists."""
STYLE = f"/assets/{digest()}/css/page.css"
GZIP = {"Accept-Encoding": "gzip"}


def policy_of(client: FlaskClient, path: str) -> dict[str, str]:
    (policy,) = client.get(path).headers.getlist("Content-Security-Policy")
    return dict(part.split(" ", 1) for part in policy.split("; "))


@pytest.mark.parametrize("path", PATHS)
def test_a_page_allows_what_it_needs_and_nothing_inline(client: FlaskClient, path: str) -> None:
    page = client.get(path)
    assert (page.status_code, page.mimetype, page.headers["Cache-Control"]) == (200, "text/html", "no-store")
    assert 'href="/openapi.yaml"' in page.text
    assert not [text for text in ("<style", " style=", "<script>", "://") if text in page.text]
    policy = policy_of(client, path)
    assert policy.pop("default-src") == policy["frame-ancestors"] == "'none'"
    assert (policy.pop("require-trusted-types-for"), policy.pop("trusted-types")) == ("'script'", "lit-html")
    assert set(policy.values()) == {"'none'", "'self'"}


def test_only_embedded_tables_are_framed_and_only_by_the_sites_that_are_named(
    restarted: Callable[..., FlaskClient],
) -> None:
    client = restarted(embed_origins=frozenset({"https://one.example", "http://two.example:8080"}))
    allowed = policy_of(client, EMBEDDED)["frame-ancestors"]
    assert allowed == "http://two.example:8080 https://one.example"
    for path in PATHS:
        if path != EMBEDDED:
            assert policy_of(client, path)["frame-ancestors"] == "'none'"


@pytest.mark.parametrize("path", [*PATHS, STYLE])
def test_pages_and_files_are_read_and_nothing_else(client: FlaskClient, path: str) -> None:
    page, head = client.get(path), client.head(path)
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["Content-Length"] == page.headers["Content-Length"]
    asked = client.options(path)
    assert (asked.status_code, asked.headers["Allow"]) == (204, "GET, HEAD, OPTIONS")
    refused = client.post(path)
    assert (refused.status_code, refused.json["code"]) == (405, "method_not_allowed")
    assert refused.headers["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", PATHS)
def test_the_query_of_a_page_is_for_its_script(client: FlaskClient, path: str) -> None:
    assert client.get(f"{path}?lang=uk&from=newsletter").data == client.get(path).data


def test_a_browser_keeps_a_file_of_this_release_for_ever_and_of_another_not_at_all(
    client: FlaskClient,
) -> None:
    assert client.get(STYLE).headers["Cache-Control"] == "public, max-age=31536000, immutable"
    other = client.get(f"/assets/{'0' * 16}/css/page.css")
    assert (other.status_code, other.headers["Cache-Control"]) == (200, "no-store")
    assert other.data == client.get(STYLE).data


@pytest.mark.parametrize("name", [*assets()])
def test_a_file_is_what_it_says(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/assets/{digest()}/{name}")
    assert answer.data == assets()[name].body
    assert answer.mimetype == {
        "css": "text/css",
        "js": "text/javascript",
        "json": "application/json",
        "svg": "image/svg+xml",
    }.get(name.rpartition(".")[2])


def test_a_file_is_compressed_once_however_often_it_is_asked_for(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = client.get(STYLE, headers=GZIP)
    assert gzip.decompress(first.data) == client.get(STYLE).data
    monkeypatch.delattr(answers.zlib, "compress")
    assert client.get(STYLE, headers=GZIP).data == first.data


@pytest.mark.parametrize(
    "name", ["js/nothing.js", "page.html", "..", "../page_views.py", "%2e%2e/assets.py", ""]
)
def test_there_are_no_other_files(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/assets/{digest()}/{name}")
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("docs.js", "text/javascript"),
        ("page.css", "text/css"),
        ("icon.svg", "image/svg+xml"),
    ],
)
def test_a_file_of_the_reference_is_what_it_says_and_is_sent_once(
    client: FlaskClient, name: str, media_type: str
) -> None:
    answer = client.get(f"/docs/{name}")
    assert answer.mimetype == media_type
    assert answer.data
    assert "max-age" in answer.headers["Cache-Control"]
    again = client.get(f"/docs/{name}", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("name", ["docs.html", "LICENSE", "..", "../assets.py", "schema.js", "/page.css"])
def test_the_reference_has_no_other_files(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/docs/{name}")
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")


BROWSER = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8,"
    "application/signed-exchange;v=b3;q=0.7"
)


@pytest.mark.parametrize(
    ("path", "accepted", "media_type"),
    [
        ("/nothing", BROWSER, "text/html"),
        ("/nothing", "application/json", "application/problem+json"),
        ("/nothing", "*/*", "application/problem+json"),
        ("/v1/nothing", BROWSER, "application/problem+json"),
    ],
)
def test_where_nothing_is_people_get_a_page_and_programs_a_problem(
    client: FlaskClient, path: str, accepted: str, media_type: str
) -> None:
    answer = client.get(path, headers={"Accept": accepted})
    assert (answer.status_code, answer.mimetype) == (404, media_type)


def test_requests_for_pages_count_under_their_rules(client: FlaskClient) -> None:
    for path, route in ((TABLE, "/matches/{match_id}"), (STYLE, "/assets/{digest}/{name}")):
        labels = {"method": "GET", "route": route, "status": "200"}
        before = counted(client, labels)
        client.get(path).close()
        assert counted(client, labels) == before + 1


def counted(client: FlaskClient, labels: dict[str, str]) -> float:
    return samples_in(client.get("/metrics").text).value("machi_http_requests_total", **labels)
