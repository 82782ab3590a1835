"""YAML that people can read, with short mappings and lists on one line."""

from typing import Any, Final

import yaml

from service.openapi.examples import OrderedObject

try:
    from yaml import CSafeDumper as SafeDumper  # three times as fast, and the same text
except ImportError:
    from yaml import SafeDumper  # type: ignore[assignment]  # where PyYAML came without libyaml

_SHORT: Final = 190
"""The longest mapping or list, in characters, that is written in flow style, wrapped as needed."""
_WORD: Final = 60


def written(document: OrderedObject) -> str:
    """The document as YAML, with its members in order."""
    return str(yaml.dump(document, Dumper=_Dumper, allow_unicode=True, width=120))


class _Dumper(SafeDumper):
    """Keeps the members of recorded responses in order, and uses no aliases.

    Not every reader follows an alias.
    """

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_str(self, data: str) -> yaml.ScalarNode:
        """Write a text with several lines as a literal block."""
        style = "|" if "\n" in data else None
        return self.represent_scalar("tag:yaml.org,2002:str", data, style)

    def represent_mapping(self, tag: Any, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        node = super().represent_mapping(tag, mapping, flow_style)
        # Some generators of clients take the first media type that is a kind of JSON.
        node.value.sort(key=lambda pair: pair[0].value != "application/json")
        node.flow_style = _is_short(node) or all(_is_reference(value) for _, value in node.value)
        return node

    def represent_sequence(
        self, tag: Any, sequence: Any, flow_style: bool | None = None
    ) -> yaml.SequenceNode:
        node = super().represent_sequence(tag, sequence, flow_style)
        node.flow_style = _is_short(node) or all(map(_is_word, node.value))
        return node


def _is_short(node: yaml.Node) -> bool:
    """Whether the node is short enough for flow style."""
    return bool(node.value) and sum(map(_length, _parts(node))) <= _SHORT


def _is_reference(node: yaml.Node) -> bool:
    return isinstance(node, yaml.MappingNode) and [name.value for name, _ in node.value] == ["$ref"]


def _is_word(node: yaml.Node) -> bool:
    """Whether the node is a name or a number; lists of these use flow style."""
    return isinstance(node, yaml.ScalarNode) and len(node.value) < _WORD and " " not in node.value


def _parts(node: yaml.Node) -> list[yaml.Node]:
    """The members of a mapping, names and values in turn, or of a list."""
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value)


def _length(node: yaml.Node) -> int:
    """The characters of the node on one line; more than `_SHORT` if it needs several lines."""
    if isinstance(node, yaml.ScalarNode):
        return len(node.value) + 3 if "\n" not in node.value else _SHORT + 1
    if node.value and not getattr(node, "flow_style", False):
        return _SHORT + 1
    return 2 + sum(map(_length, _parts(node)))


def _recorded(dumper: _Dumper, value: OrderedObject) -> yaml.Node:
    node = dumper.represent_mapping("tag:yaml.org,2002:map", value.items())
    for name, part in node.value:
        if name.value == "value" and isinstance(part, yaml.CollectionNode):
            part.flow_style = True  # of an example, wrapped as needed
    return node


_Dumper.add_representer(str, _Dumper.represent_str)
_Dumper.add_representer(OrderedObject, _recorded)
