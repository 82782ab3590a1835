"""Results of a ladder from a file, read by the project's own rules: no service is asked."""

import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from machi.cli.session import Unusable

MISSING: Final = (
    "this needs the rules of rating; in a checkout, pip install './client[verify]' installs them "
    "(docs/verifying.md says how without a network)"
)
_GZIP: Final = b"\x1f\x8b"


def results_in(name: str, *, of_test: bool = False) -> Any:
    """The `domain.ladder.results.Results` in the file of that name; - is the input.

    Those of a sequential test may have stand-ins, which no table can have.

    Raises:
        Unusable: it cannot be read, or is no ladder's.
    """
    require_rating()
    from domain.ladder.results import ResultsFault, read

    try:
        with _opened(name) as lines:
            return read(lines, with_stand_ins=of_test)
    except ResultsFault as fault:
        raise Unusable(f"{name}: {fault}") from None
    except (OSError, EOFError) as error:
        raise Unusable(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None


def table_of(results: Any) -> Any:
    """The official table, a `domain.ladder.standings.Table`."""
    from domain.ladder.standings import standings

    return standings(results)


def test_of(results: Any, a: str, b: str, asked: tuple[int, int, int, int]) -> Any:
    """The sequential test of entry A against B, a `domain.ladder.sequential.Decision`.

    `asked` are elo0 and elo1, and the risks in per cent.
    """
    from domain.ladder.sprt import Hypotheses, sequential_test

    return sequential_test(results.blocks, a, b, Hypotheses(*asked))


def require_rating() -> None:
    """Raises: Unusable, what is needed to rate is not installed."""
    try:
        import domain.ladder.standings  # noqa: F401
    except ImportError:
        raise Unusable(MISSING) from None


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
