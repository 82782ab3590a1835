"""The guides: the README and the files of docs/ as HTML, and the list of them that the README keeps.

Markup in a guide is text. Headings have the ids that GitHub gives them, so that anchors work in both places.
Links to guides lead to their pages, and those to the few files that readers need lead to these. Other links
into the repository become text: the service does not have what they name.
"""

import posixpath
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

_ROOT: Final = Path(__file__).parents[2]
_FILES: Final = {"readme": "README.md"} | {
    path.stem: f"docs/{path.name}" for path in sorted((_ROOT / "docs").glob("*.md"))
}
_SAMPLES: Final = {
    path.name: path.relative_to(_ROOT).as_posix()
    for path in (
        _ROOT / "docs" / "verify_match.py",
        *sorted((_ROOT / "docs" / "vectors").iterdir()),
        *sorted((_ROOT / "docs" / "images").iterdir()),
    )
}
_ADDRESSES: Final = (
    {file: f"/docs/guides/{name}" for name, file in _FILES.items()}
    | {file: f"/docs/files/{name}" for name, file in _SAMPLES.items()}
    | {name: f"/{name}" for name in ("openapi.yaml", "asyncapi.yaml")}
)
"""Where the service has the files of the repository that it has."""

NAMES: Final = tuple(_FILES)
"""The guides, as their addresses name them."""
SAMPLE_NAMES: Final = tuple(_SAMPLES)
"""The files that readers of the guides may fetch."""

_NOT_IN_ID: Final = re.compile(r"[^\w\- ]")
_PRE: Final = '<pre tabindex="0">'
_MEDIA_TYPES: Final = {
    ".json": "application/json",
    ".ndjson": "application/x-ndjson",
    ".py": "text/plain",
    ".png": "image/png",
}


class Guide(NamedTuple):
    """A guide, ready to be put on its page."""

    title: str
    html: str


class Topic(NamedTuple):
    """A line of the README's list: what a reader wants, in HTML, and where it is."""

    text: str
    address: str


@cache
def guide(name: str) -> Guide:
    """The guide with one of the `NAMES`. It takes up to 0.1 s once per process."""
    file = _FILES[name]
    return Guide(_title(file), render((_ROOT / file).read_text(), file))


@cache
def topics() -> dict[str, list[Topic]]:
    """The topics in the README's section "Documentation" that have an address here, by their kind; HTML.

    The kinds are in the order of the README: tutorials, how-to guides, reference, explanation.
    """
    readme = _FILES["readme"]
    tokens = _parsed((_ROOT / readme).read_text(), readme)
    start = next(at for at, token in enumerate(tokens) if token.content == "Documentation")
    found: dict[str, list[Topic]] = {}
    text = ""
    for before, token in zip(tokens[start:], tokens[start + 1 :], strict=False):
        if before.type == "heading_open":
            break
        if before.type == "paragraph_open" and token.content.startswith("**"):
            found[token.content.strip("*")] = []
        elif before.type == "td_open":
            addresses = [
                str(child.attrs["href"]) for child in token.children or [] if child.type == "link_open"
            ]
            if addresses:
                [*_, kind] = found
                address = addresses[0]
                here = _ADDRESSES[readme] if address.startswith("#") else ""
                found[kind].append(Topic(text, here + address))
            text = _markdown().renderInline(token.content)
    return found


@cache
def sample(name: str) -> tuple[bytes, str]:
    """The content and the media type of a file with one of the `SAMPLE_NAMES`."""
    path = _ROOT / _SAMPLES[name]
    return path.read_bytes(), _MEDIA_TYPES[path.suffix]


def render(text: str, file: str) -> str:
    """A guide that lies in a file of the repository, as HTML."""
    markdown = _markdown()
    return str(markdown.renderer.render(_parsed(text, file), markdown.options, {}))


def _parsed(text: str, file: str) -> list[Token]:
    """The parts of a guide, with ids and with the addresses of pages."""
    tokens = _markdown().parse(text)
    seen: Counter[str] = Counter()
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token.type != "inline":
            continue
        _lead(token, posixpath.dirname(file))
        if before.type == "th_open" and not token.content:
            before.tag = after.tag = "td"  # a header without text is none
        if before.type == "heading_open":
            words = "".join(child.content for child in token.children or [])
            slug = _NOT_IN_ID.sub("", words.lower()).replace(" ", "-")
            before.attrSet("id", f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
    return tokens


@cache
def _markdown() -> MarkdownIt:
    """A parser that takes markup for text, and lets tables and code scroll, with the keyboard, too."""
    markdown = MarkdownIt("js-default", {"typographer": False, "linkify": False})
    rules = markdown.renderer.rules  # type: ignore[attr-defined]
    fence, block = rules["fence"], rules["code_block"]
    rules["table_open"] = lambda *_: '<div class="scrolls" tabindex="0"><table>'
    rules["table_close"] = lambda *_: "</table></div>"
    rules["fence"] = lambda *given: fence(*given).replace("<pre>", _PRE, 1)
    rules["code_block"] = lambda *given: block(*given).replace("<pre>", _PRE, 1)
    return markdown


def _lead(inline: Token, folder: str) -> None:
    """Point the links of a text in a folder to the pages, and drop those that lead nowhere.

    A link whose text is a path gets the title of the guide instead.
    """
    kept: list[Token] = []
    is_dropped = False
    for child in inline.children or []:
        if child.type == "image":
            child.attrSet("src", _address(str(child.attrs["src"]), folder) or "")
        if child.type == "link_open":
            target = str(child.attrs["href"])
            address = _address(target, folder)
            is_dropped = address is None
            child.attrSet("href", address or "")
        elif kept and kept[-1].type == "link_open" and child.content.endswith(".md"):
            child.content = _title(posixpath.normpath(posixpath.join(folder, target.partition("#")[0])))
        if not (is_dropped and child.type in ("link_open", "link_close")):
            kept.append(child)
    inline.children = kept


def _address(target: str, folder: str) -> str | None:
    """Where a link leads, or None where the service has nothing."""
    if ":" in target or target.startswith("#"):
        return target
    path, _, anchor = target.partition("#")
    page = _ADDRESSES.get(posixpath.normpath(posixpath.join(folder, path)))
    return page and (f"{page}#{anchor}" if anchor else page)


@cache
def _title(file: str) -> str:
    """The heading of a guide, which is its first line."""
    with (_ROOT / file).open() as lines:
        return next(lines).lstrip("# ").rstrip().replace("`", "")
