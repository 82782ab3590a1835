"""What `machi_koro_rules` draws with: the pictures, shapes and colours of the pages, read from their sources.

The pages are written by hand, without a build, so what they have in common with the package is copied from
them into a file of data. `make golden` writes it, and a test compares.
"""

import json
import re
from typing import Any, Final

from ops.run import ROOT

FILE: Final = ROOT / "machi_koro_rules" / "drawings.json"

_ASSETS: Final = ROOT / "service" / "pages" / "assets"
_OBJECT: Final = re.compile(r"const (\w+) = (\{\n.*?\n\});", re.S)
_TEXT: Final = re.compile(r'const (\w+) = ((?:"[^"]*"|`[^`]*`));')
_COLOUR: Final = re.compile(r"--([\w-]+): light-dark\((#\w{6}), #\w{6}\);")
_SHAPE: Final = re.compile(r"([or])([\d. ]+)")


def drawings() -> dict[str, Any]:
    """The content of the file: paths are SVG path data, each after the letter of its ink."""
    pictures, drawn = _objects("pictures.js"), _objects("drawings.js")
    return {
        "colours": dict(_COLOUR.findall((_ASSETS / "css/page.css").read_text())),
        "badges": {name: _path(path) for name, path in drawn["BADGES"].items()}
        | {"gold": _text("drawings.js", "STAR")},
        "relatives": drawn["RELATIVES"],
        "establishments": _layers(pictures["ESTABLISHMENTS"]),
        "landmarks": _layers(pictures["LANDMARKS"]),
    }


def _layers(pictures: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: [f"{one[:2]}{_path(one[2:])}" for one in layers] for name, layers in pictures.items()}


def _objects(script: str) -> dict[str, Any]:
    """The objects of strings, or of lists of strings, that a script declares, by name."""
    source = (_ASSETS / "js" / script).read_text()
    source = re.sub(r"^\s*(//|/\*\*|\*).*\n", "", source, flags=re.M)
    texts: dict[str, str] = {}
    for name, literal in _TEXT.findall(source):
        texts[name] = _filled(literal[1:-1], texts)
    found = {}
    for name, literal in _OBJECT.findall(source):
        literal = re.sub(r"`([^`]*)`", lambda one: json.dumps(_filled(one[1], texts)), literal)
        literal = re.sub(r"\b([A-Z]+)(?=[,\]])", lambda one: json.dumps(texts[one[1]]), literal)
        literal = re.sub(r'"\s*\+\s*"', "", literal)
        literal = re.sub(r"^(\s*)(\w+): ", r'\1"\2": ', literal, flags=re.M)
        literal = re.sub(r",(\s*[\]}])", r"\1", literal)
        found[name] = json.loads(literal)
    return found


def _text(script: str, name: str) -> str:
    return str(dict(_TEXT.findall((_ASSETS / "js" / script).read_text()))[name][1:-1])


def _filled(template: str, texts: dict[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda one: texts[one[1]], template)


def _path(path: str) -> str:
    """SVG path data. As in drawings.js, `o x y r` is a circle, and `r x y width height radius` a box."""
    return _SHAPE.sub(lambda one: _shape(one[1], [float(number) for number in one[2].split()]), path)


def _shape(shape: str, numbers: list[float]) -> str:
    if shape == "o":
        x, y, r = numbers
        return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0z"
    x, y, width, height, r = numbers
    across, down = width - 2 * r, height - 2 * r
    corners = [f"a{r:g} {r:g} 0 0 1 {dx * r:g} {dy * r:g}" for dx, dy in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    return (
        f"M{x + r:g} {y:g}h{across:g}{corners[0]}v{down:g}{corners[1]}h{-across:g}{corners[2]}"
        f"v{-down:g}{corners[3]}z"
    )
