"""Results of a ladder from a file, computed by the project's own rules without the service.

The rating rules are imported only where they are needed, so that other commands start without them.
"""

import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from machi.cli.session import Unusable

if TYPE_CHECKING:
    from domain.ladder.results import Results
    from domain.ladder.sprt import Decision
    from domain.ladder.standings import Table

_GZIP: Final = b"\x1f\x8b"


def results_in(name: str, *, of_test: bool = False) -> "Results":
    """The results in the file of that name; - is standard input.

    The results of a sequential test may contain stand-ins, which no table can contain.

    Raises:
        Unusable: the file cannot be read, or has no results of a ladder.
    """
    from domain.ladder.results import ResultsFault, read

    try:
        with _opened(name) as lines:
            return read(lines, with_stand_ins=of_test)
    except ResultsFault as fault:
        raise Unusable(f"{name}: {fault}") from None
    except (OSError, EOFError) as error:
        raise Unusable(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None


def table_of(results: "Results") -> "Table":
    """The official table."""
    from domain.ladder.standings import standings

    return standings(results)


def test_of(results: "Results", a: str, b: str, asked: tuple[int, int, int, int]) -> "Decision":
    """The sequential test of entry A against entry B.

    `asked` is elo0, elo1, and the error probabilities alpha and beta in per cent.
    """
    from domain.ladder.sprt import Hypotheses, sequential_test

    return sequential_test(results.blocks, a, b, Hypotheses(*asked))


@contextmanager
def _opened(name: str) -> Iterator[Iterable[bytes]]:
    """The lines, gzipped or not."""
    if name == "-":
        yield sys.stdin.buffer
        return
    with Path(name).open("rb") as file:
        yield _unpacked(file)


def _unpacked(file: IO[bytes]) -> Iterable[bytes]:
    is_packed = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    return gzip.GzipFile(fileobj=file) if is_packed else file
