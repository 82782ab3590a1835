"""The verifier, in a real browser: it finds every forged twin, and needs no service for a file."""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final
from uuid import uuid4

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from domain.match.events import Clock
from domain.match.rulesets import VERSIONS, digest
from service.pages import assets
from tests.golden import vectors
from tests.golden.exports import (
    Line,
    branch_of,
    checkpoint_of,
    creation,
    last_of_command,
    lines_of,
    play,
    rehashed,
    seed_of,
    written,
)
from tests.marks import long_unless
from tests.service.pages.rig import PHONE, accessibility_faults, overflowing
from tests.service.posts import MATCH
from tests.service.served import Served, wait_until

FORGERIES: Final[list[Line]] = json.loads((vectors.FOLDER / "forged.json").read_bytes())
FILES: Final = {
    f"{name}.ndjson": (vectors.FOLDER / f"{name}.ndjson").read_bytes() for name in vectors.RECIPES
}
KEYS: Final = vectors.FOLDER / "signing-keys.json"

IMPORT: Final = """
    const address = document.querySelector("script[type=module]").src;
    const load = (name) => import(new URL(`verifier/${name}.js`, address));
"""
VERIFY: Final = f"""async (texts) => {{{IMPORT}
    const {{ matchesOf }} = await load("files");
    const {{ verify }} = await load("verify");
    const found = [];
    for (const text of texts) {{
        const origins = new Map();
        const reports = [];
        try {{
            for await (const match of matchesOf(new Blob([text]))) {{
                const report = await verify(match, {{ origins }});
                origins.set(match.manifest.match_id, match);
                const checks = report.checks.map((one) => [one.name, one.status, one.sequence]);
                reports.push({{ verdict: report.verdict, checks }});
            }}
        }} catch (error) {{
            reports.push({{ verdict: error.why ?? String(error), checks: [] }});
        }}
        found.push(reports);
    }}
    return found;
}}"""


@pytest.fixture(scope="module")
def modules(browser: Browser, web: Served) -> Iterator[Page]:
    """A page for tests that call its modules and leave it as it is: it is opened once."""
    with browser.new_page(base_url=f"http://127.0.0.1:{web.port}") as page:
        page.goto("/verify")
        yield page


def verified(modules: Page, *files: bytes) -> list[list[Any]]:
    """What the modules of the page say of the matches in each file."""
    found: list[list[Any]] = modules.evaluate(VERIFY, [file.decode() for file in files])
    return found


def drop(page: Page, content: bytes, name: str = "match.ndjson") -> None:
    page.set_input_files("#files", FilePayload(name=name, mimeType="application/x-ndjson", buffer=content))


def check_row(page: Page, name: str) -> Locator:
    return page.locator(".checks > li").filter(has=page.locator(f".name:text-is('{name}')"))


def twin(file: str, name: str) -> bytes:
    forgery = next(one for one in FORGERIES if (one["file"], one["name"]) == (file, name))
    return vectors.forged(lines_in(file), forgery)


def lines_in(file: str) -> list[Line]:
    return [json.loads(line) for line in FILES[file].splitlines()]


def test_every_vector_is_verified(modules: Page) -> None:
    found = verified(modules, *FILES.values(), b"".join(FILES.values()))
    assert [[one["verdict"] for one in file] for file in found] == [*[["verified"]] * 4, ["verified"] * 4]


def of_each_check(forgeries: list[Line]) -> list[Line]:
    """The first of each file that fails a check."""
    return [*{(one["file"], one["check"]): one for one in reversed(forgeries)}.values()]


@pytest.mark.parametrize(
    "forgeries",
    [of_each_check(FORGERIES), pytest.param(FORGERIES, marks=pytest.mark.long)],
    ids=["of each check", "all"],
)
def test_every_forged_twin_fails_the_check_and_event_that_are_at_fault(
    modules: Page, forgeries: list[Line]
) -> None:
    twins = [vectors.forged(lines_in(forgery["file"]), forgery) for forgery in forgeries]
    missed = []
    for forgery, reports in zip(forgeries, verified(modules, *twins), strict=True):
        due = [forgery["check"], "failed", forgery["sequence"]]
        if reports[-1]["checks"] if forgery["check"] is None else due not in reports[-1]["checks"]:
            missed.append((forgery["file"], forgery["name"], reports))
    assert len(FORGERIES) > 100
    assert missed == []


def test_a_branch_is_compared_with_its_origin_where_that_is_at_hand(modules: Page) -> None:
    seed = seed_of("an origin")
    origin = play("mat_" + "0" * 25 + "1", creation("machi_koro_2", 2, seed), seed, Random(1))
    version = last_of_command(origin, len(origin.events) // 2)
    branch = branch_of(origin, version, seed, Random(2), "mat_" + "0" * 25 + "2")
    first, second = (written(lines_of(one, checkpoint_of(one))) for one in (origin, branch))
    changed = second.replace(b'"coins":[', b'"coins":[1', 1)
    together, alone, other = verified(modules, first + second, second, first + changed)
    assert [one["verdict"] for one in together] == ["verified", "verified"]
    assert ["origin", "passed", None] in together[1]["checks"]
    assert (alone[0]["verdict"], ["origin", "pending", None] in alone[0]["checks"]) == ("incomplete", True)
    begun = next(event.sequence for event in branch.events if event.type == "branch_started")
    assert ["origin", "failed", begun] in other[1]["checks"]


def test_a_bank_of_time_has_what_it_had_less_what_was_spent(modules: Page) -> None:
    seed = seed_of("a match with banks")
    create = replace(creation("base", 2, seed), clock=Clock(1000, "forfeit", 60_000, 500))
    played = play("mat_" + "0" * 25 + "3", create, seed, Random(3))
    honest = written(lines_of(played, checkpoint_of(played)))
    first = next(event for event in played.events if event.type == "bank_changed")
    forged = honest.replace(b'"left_ms":60500', b'"left_ms":60501', 1)
    more = honest.replace(b'"added_ms":500,"left_ms":60500', b'"added_ms":501,"left_ms":60501', 1)
    found = verified(modules, honest, forged, more)
    assert [reports[0]["verdict"] for reports in found] == ["verified", "failed", "failed"]
    for reports in found[1:]:
        assert ["decisions", "failed", first.sequence] in reports[0]["checks"]


ROW_AMOUNTS: Final = (
    ("general_store", "income_received", "coins"),
    ("winery", "income_received", "coins"),
    ("moving_company", "income_received", "coins"),
    ("demolition_company", "income_received", "coins"),
    ("soda_bottling_plant", "income_received", "coins"),
    ("loan_office", "income_received", "coins"),
    ("loan_office", "fee_paid", "owed"),
    ("french_restaurant", "payment_made", "owed"),
    ("members_only_club", "payment_made", "owed"),
    ("renovation_company", "payment_made", "owed"),
    ("tech_startup", "payment_made", "owed"),
    ("tech_startup", "coin_invested", "coins"),
)


@pytest.mark.long
def test_matches_of_millionaires_row_are_verified_and_each_wrong_amount_of_its_cards_is_found(
    modules: Page,
) -> None:
    seeds = [seed_of(f"millionaires {number}") for number in range(12)]
    played = [
        play(f"mat_{number:026}", creation("millionaires_row", 3, seed), seed, Random(number))
        for number, seed in enumerate(seeds)
    ]
    honest = [lines_of(one, checkpoint_of(one)) for one in played]
    twins, due = [], []
    for card, kind, member in ROW_AMOUNTS:
        twin, sequence = _with_one_more(honest, card, kind, member)
        twins.append(twin)
        due.append(["payments", "failed", sequence])
    verdicts = [reports[0]["verdict"] for reports in verified(modules, *map(written, honest))]
    assert verdicts == ["verified"] * len(honest)
    for check, reports in zip(due, verified(modules, *twins), strict=True):
        assert check in reports[0]["checks"]


def _with_one_more(matches: list[list[Line]], card: str, kind: str, member: str) -> tuple[bytes, int]:
    """A match in which the first such event is of one coin more, and the sequence of the event."""
    for lines in matches:
        for place, line in enumerate(lines):
            event = line.get("event", {"type": ""})
            if event["type"] == kind and event["data"]["card"] == card and event["data"][member]:
                data = {**event["data"], member: event["data"][member] + 1}
                twin = [*lines[:place], {**line, "event": {**event, "data": data}}, *lines[place + 1 : -1]]
                return written(rehashed(twin)), event["sequence"]
    raise AssertionError(f"no {kind} of {card}")


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ('{"a":[1,-7,"é\\u00e9\\n",true,null,{}]}', True),
        ("9007199254740991", True),
        ("-9007199254740991", True),
        ('{"__proto__":1,"constructor":2}', True),
        ("9007199254740992", False),
        ("1.0", False),
        ("1e0", False),
        ("-0", False),
        ("01", False),
        ('{"a":1,"\\u0061":1}', False),
        ('{"__proto__":1,"__proto__":1}', False),
        ('"\\ud800"', False),
        ('"\t"', False),
        ("[1,]", False),
        ("{} {}", False),
        ("\ufeff{}", False),
        ("NaN", False),
        ("", False),
        ("[" * 100_000, False),
    ],
)
def test_json_is_read_only_where_nobody_could_read_something_else(
    modules: Page, text: str, is_read: bool
) -> None:
    script = f"""async (text) => {{{IMPORT}
        const {{ parse, canonical }} = await load("json");
        try {{ return canonical(parse(text)); }} catch (error) {{ return error.why; }}
    }}"""
    due = (
        json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        if is_read
        else "json"
    )
    assert modules.evaluate(script, text) == due


def test_dice_and_draws_are_those_of_the_vectors(modules: Page) -> None:
    recorded = json.loads((vectors.FOLDER / "dice.json").read_bytes())["matches"]
    script = f"""async (matches) => {{{IMPORT}
        const {{ bytesOfHex, hmacOf }} = await load("hashes");
        const {{ derived }} = await load("chance");
        const found = [];
        for (const {{ table_key, needs }} of matches) {{
            const digestOf = await hmacOf(bytesOfHex(table_key));
            for (const need of needs) {{
                const of = (place) => place;
                const step = await derived(digestOf, {{ ...need, of }});
                found.push([step.address, step.digest, step.number, step.due]);
            }}
        }}
        return found;
    }}"""
    matches, due = [], []
    for match in recorded:
        needs = []
        for kind, vector in [
            *(("die", one) for one in match["dice"]),
            *(("draw", one) for one in match["draws"]),
        ]:
            needs.append(
                {"kind": kind, "stem": vector["address"].rpartition("|")[0], "choices": vector.get("left", 6)}
            )
            number = vector["byte"] if kind == "die" else vector["number"]
            place = vector["value"] - 1 if kind == "die" else vector["place"]
            due.append([vector["address"], vector["digest"], number, place])
        matches.append({"table_key": match["table_key"], "needs": needs})
    assert modules.evaluate(script, matches) == due


def test_it_knows_the_tables_of_every_rules_version(modules: Page) -> None:
    known = modules.evaluate(f"async () => {{{IMPORT} return (await load('verify')).DIGESTS; }}")
    assert known == {version: digest(ruleset) for version, ruleset in VERSIONS.items()}


def test_a_chosen_file_is_verified_and_shows_every_step(page: Page) -> None:
    page.goto("/verify?lang=en")
    drop(page, FILES["harbor.ndjson"])
    expect(page.locator(".result h2")).to_contain_text("Verified")
    expect(page.locator("[role=status].hidden")).to_have_text("Verified")
    expect(page.locator(".checks > li")).to_have_count(10)
    dice = check_row(page, "Dice")
    dice.locator("summary").click()
    expect(dice.locator(".steps li").first).to_contain_text("die|0|1|roll|1|0|0")
    expect(dice.locator(".steps li").first).to_contain_text("0x73")
    expect(dice).to_contain_text("5d59bdaedad3b162628e8e754ab1b476a31bd31485ca3ad60fccf259a6181ff9")
    chain = check_row(page, "Hash chain")
    chain.locator("summary").click()
    chain.get_by_role("spinbutton").fill("7")
    chain.get_by_role("spinbutton").press("Enter")
    expect(chain.locator("pre")).to_contain_text('"type":"dice_rolled"')
    signed = check_row(page, "Signed end")
    signed.locator("summary").click()
    expect(signed).to_contain_text("The key came with the match")
    draws = check_row(page, "Draws")
    draws.locator("summary").click()
    expect(draws.locator(".steps li").nth(1)).to_contain_text("furniture_factory")


@pytest.mark.long
def test_seats_are_counted_from_1_as_on_the_other_pages(page: Page) -> None:
    page.goto("/verify?lang=en")
    drop(page, FILES["harbor.ndjson"])
    for name, told in (
        ("Dice", "Event 7: seat 1, turn 1"),
        ("Draws", "Recorded: Seat 1"),
        ("Coins", "Event 8, seat 1:"),
    ):
        row = check_row(page, name)
        row.locator("summary").click()
        expect(row.locator(".steps li").first).to_contain_text(told)
    drop(page, twin("harbor.ndjson", "another seat begins"))
    facts = check_row(page, "Draws").locator(".facts").first
    expect(facts.locator("dd")).to_have_text(["Seat 1", "Seat 2"])


def test_a_forged_file_fails_and_names_the_moment_at_the_table(page: Page) -> None:
    page.goto("/verify?lang=en")
    drop(page, gzip.compress(twin("base.ndjson", "a die and its total")), "forged.ndjson.gz")
    expect(page.locator(".result h2")).to_contain_text("Failed")
    row = check_row(page, "Dice")
    expect(row.locator("summary")).to_contain_text("Failed")
    link = row.get_by_role("link", name="Event 21")
    expect(link).to_have_attribute("href", "/matches/mat_00000000000000000000000001#v=21")


@pytest.mark.long
def test_only_the_keys_of_a_chosen_file_are_trusted(page: Page) -> None:
    page.goto("/verify?lang=en")
    page.set_input_files("#keys", KEYS)
    expect(page.locator(".keys")).to_contain_text("1 key is trusted")
    drop(page, FILES["base.ndjson"])
    expect(page.locator(".result h2")).to_contain_text("Verified")
    other = json.loads(KEYS.read_bytes())
    other["items"][0]["public_key"] = "A" * 43 + "="
    content = json.dumps(other).encode()
    page.set_input_files("#keys", FilePayload(name="keys.json", mimeType="application/json", buffer=content))
    drop(page, FILES["base.ndjson"])
    expect(page.locator(".result h2")).to_contain_text("Failed")
    expect(check_row(page, "Signed end")).to_contain_text("not one that you trust")


def test_a_browser_without_ed25519_says_what_it_could_not_check(page: Page) -> None:
    page.goto("/verify?lang=en")
    page.evaluate("""() => {
        const importKey = crypto.subtle.importKey.bind(crypto.subtle);
        crypto.subtle.importKey = (format, key, algorithm, ...rest) =>
            algorithm.name === "Ed25519"
                ? Promise.reject(new DOMException("no such algorithm", "NotSupportedError"))
                : importKey(format, key, algorithm, ...rest);
    }""")
    drop(page, FILES["base.ndjson"])
    expect(page.locator(".result h2")).to_contain_text("Incomplete")
    expect(check_row(page, "Signed end")).to_contain_text("This browser has no Ed25519")


UNREADABLE: Final[dict[str, tuple[Callable[[bytes], bytes], str]]] = {
    "a gzip file that was cut off": (lambda file: gzip.compress(file)[:-2000], "damaged"),
    "a gzip file with another checksum": (lambda file: gzip.compress(file)[:-8] + b"\0" * 8, "damaged"),
    "a line that is too long": (lambda file: file + b" " * (300 * 2**10), "more data"),
    "too many lines": (lambda file: gzip.compress(file + b"\n" * 2_000_000), "more data"),
    "too many bytes": (lambda file: gzip.compress(file + (b" " * 60_000 + b"\n") * 4_000, 1), "more data"),
    "too many values": (lambda file: file + b'{"a":[' + b"1," * 1_000_000, "more data"),
    "something else": (lambda _: b"\x89PNG\r\n", "UTF-8"),
    "nothing": (lambda _: b"", "no match"),
}
"""What is made of a file, which takes a while for some, and why it is refused."""
QUICKLY_READ: Final = ("a gzip file that was cut off", "something else", "nothing")


@pytest.mark.parametrize("name", long_unless(QUICKLY_READ, UNREADABLE))
def test_what_cannot_be_read_is_refused(page: Page, name: str) -> None:
    spoilt, told = UNREADABLE[name]
    page.goto("/verify?lang=en")
    drop(page, spoilt(FILES["base.ndjson"]), "export.gz")
    expect(page.locator(".result.unreadable")).to_contain_text(told)
    expect(page.locator("[role=status].hidden")).to_have_text("Unreadable")


def test_a_file_is_verified_without_a_network(page: Page) -> None:
    page.goto("/verify?lang=en")
    expect(page.locator("#files")).to_be_attached()
    page.context.set_offline(True)
    drop(page, b"".join(FILES.values()))
    expect(page.locator(".result.verified")).to_have_count(4)
    check_row(page.locator(".result").first.page, "Coins").first.locator("summary").click()
    expect(page.locator(".steps li").first).to_be_visible()
    page.context.set_offline(False)


def new_match(page: Page, *commands: Line) -> str:
    """A match of one account on both seats, after these commands."""

    def post(path: str, body: Line, **headers: str) -> Any:
        answer = page.request.post(path, data=body, headers={"Idempotency-Key": uuid4().hex, **headers})
        assert answer.ok, answer.text()
        return answer.json()

    token = post("/v1/accounts", {"handle": f"v{uuid4().hex[:12]}"})["token"]
    sent = {"Authorization": f"Bearer {token}"}
    match_id: str = post("/v1/matches", MATCH, **sent)["match_id"]
    for command in commands:
        post(f"/v1/matches/{match_id}/commands", command, **sent)
    return match_id


def test_a_finished_match_is_verified_by_its_id(page: Page) -> None:
    match_id = new_match(page, {"type": "roll_dice", "dice": 1}, {"type": "resign", "seat": 0})
    wait_until(lambda: '"kind":"signature"' in page.request.get(f"/v1/matches/{match_id}/export").text())
    page.set_viewport_size(PHONE)
    page.goto(f"/matches/{match_id}/verify?lang=en")
    verdict = page.locator(".result h2").first
    expect(verdict).to_contain_text("Verified")
    expect(verdict).to_be_in_viewport(ratio=1)
    expect(verdict.get_by_role("link")).to_have_attribute("href", f"/matches/{match_id}")
    expect(page.locator(".checks > li.passed")).to_have_count(10)
    expect(page.locator(".claim")).to_contain_text("own claim")
    expect(page.locator(".claim li").first).to_contain_text("Passed")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save the export").click()
    assert saved.value.suggested_filename == f"{match_id}.ndjson"
    page.locator("#files").set_input_files(saved.value.path())
    expect(page.locator(".result h2")).to_contain_text("Verified")
    expect(page.locator(".claim")).to_have_count(0)


def test_a_running_match_waits_for_its_seed(page: Page) -> None:
    page.goto(f"/matches/{new_match(page)}/verify?lang=en")
    expect(page.locator(".result h2").first).to_contain_text("Incomplete")
    names = page.locator(".checks > li.pending .name")
    expect(names).to_have_text(["Dice", "Draws", "Result", "Signed end"])


def test_it_speaks_the_language_of_the_reader(page: Page) -> None:
    page.goto("/verify?lang=uk")
    drop(page, FILES["base.ndjson"])
    expect(page.get_by_role("heading", level=1)).to_have_text("Перевірка партії")
    expect(page.locator(".result h2")).to_contain_text("Підтверджено")
    assert "verify." not in page.locator("main").inner_text()


def texts() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted((assets.FOLDER / "languages" / "verify").iterdir()):
        yield path.stem, json.loads(path.read_bytes())["verify"]


def test_every_language_has_every_text_that_the_scripts_name() -> None:
    found = dict(texts())
    assert len(found) == 5
    assert len({frozenset(section) for section in found.values()}) == 1
    scripts = "".join(
        path.read_text()
        for path in [
            *(assets.FOLDER / "js" / "verifier").iterdir(),
            *(assets.FOLDER / "js").glob("verify*.js"),
        ]
    )
    named = set(re.findall(r'"verify\.(\w+)"', scripts))
    named |= {f"why_{why}" for why in re.findall(r'new Unreadable\("(\w+)"', scripts)}
    named |= {
        f"why_{why}" for why in re.findall(r'(?:fail|leave)\([^()]*?"(?:pending|skipped)", "(\w+)"', scripts)
    }
    named |= {f"why_{why}" for why in re.findall(r'fail\(\w+(?:\.\w+)?(?: \+ 1)?, "(\w+)"', scripts)}
    assert named - found["en"].keys() == set()


@pytest.mark.parametrize(
    "name",
    ["a commitment of another seat", pytest.param("a number in the checkpoint", marks=pytest.mark.long)],
)
def test_nothing_that_was_found_is_a_barrier_or_too_wide(page: Page, name: str) -> None:
    page.goto("/verify?lang=en")
    drop(page, twin("seat_seeds.ndjson", name))
    expect(page.locator(".result.failed")).to_be_visible()
    for summary in page.locator(".checks summary").all():
        summary.click()
    expect(page.locator(".steps").first).to_be_visible()
    assert accessibility_faults(page) == []
    assert overflowing(page) == []
    page.set_viewport_size(PHONE)
    assert overflowing(page) == []
