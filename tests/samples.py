"""Reading metrics as Prometheus does."""

from pathlib import Path
from typing import NamedTuple

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.parser import text_string_to_metric_families

Labels = frozenset[tuple[str, str]]


class Samples(NamedTuple):
    """What one scrape has found."""

    types: dict[str, str]
    """The type of each metric, by its name in the documentation: a counter's ends in `_total`."""
    values: dict[tuple[str, Labels], float]

    def value(self, name: str, **labels: str) -> float:
        """The sum of all samples of that name that have these labels, others or not."""
        wanted = labels.items()
        return sum([value for (found, has), value in self.values.items() if found == name and wanted <= has])

    def labels(self, name: str) -> set[str]:
        """The names of the labels that samples of a metric have."""
        endings = ("", "_bucket", "_sum", "_count")
        found = {
            label
            for (sample, has) in self.values
            for label, _ in has
            if sample in {name + e for e in endings}
        }
        return found - {"le"}

    def label_values(self, label: str) -> set[str]:
        """Everything that a label is, in whatever metric."""
        return {value for _, has in self.values for name, value in has if name == label}


def samples_in(text: str) -> Samples:
    """The samples of a scrape."""
    types: dict[str, str] = {}
    values: dict[tuple[str, Labels], float] = {}
    for family in text_string_to_metric_families(text):
        types[family.name + ("_total" if family.type == "counter" else "")] = family.type
        for sample in family.samples:
            key = (sample.name, frozenset(sample.labels.items()))
            assert key not in values, f"{key} stands twice"
            values[key] = sample.value
    return Samples(types, values)


def samples_of(directory: Path) -> Samples:
    """What the processes that count in the directory have counted."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(directory))
    return samples_in(generate_latest(registry).decode())
