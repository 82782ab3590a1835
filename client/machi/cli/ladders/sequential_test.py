"""`machi ladder test`."""

from typing import TYPE_CHECKING, Final

import click

from machi.cli.exits import INTERRUPTED
from machi.cli.ladders.administration import entry_named
from machi.cli.ladders.result_files import results_in
from machi.cli.ladders.rounds import shown
from machi.cli.session import Session, Unusable, WrongUse, one_line, service_options, session_of
from machi.client import Client
from machi.ladders import Job, SequentialTest

if TYPE_CHECKING:
    from domain.ladder.results import Results
    from domain.ladder.sprt import SprtState

_SHARE: Final = click.FloatRange(0.01, 0.49)


@click.command(
    epilog="""\b
Exit codes: 0 the test has ended, with any decision, 1 refused by the service,
or the test was stopped, 2 wrong usage, 3 file unreadable or service
unreachable, 130 interrupted (the test continues).
\b
Examples:
  machi ladder test LADDER "bakers 7" "bakers 6"
  machi ladder test LADDER ENTRY_A ENTRY_B --elo1 20 --blocks 5000
  machi ladder test --results results.ndjson greedy random
"""
)
@click.argument("names", metavar="[LADDER] A B", nargs=-1, required=True)
@click.option(
    "--elo0",
    type=click.IntRange(-1000, 1000),
    default=0,
    show_default=True,
    help="Elo difference of the null hypothesis (not better).",
)
@click.option(
    "--elo1",
    type=click.IntRange(-1000, 1000),
    default=50,
    show_default=True,
    help="Elo difference of the alternative hypothesis (better).",
)
@click.option(
    "--alpha",
    type=_SHARE,
    default=0.01,
    show_default=True,
    help="Probability of a wrong decision if elo0 is true.",
)
@click.option(
    "--beta",
    type=_SHARE,
    default=0.01,
    show_default=True,
    help="Probability of a wrong decision if elo1 is true.",
)
@click.option(
    "--blocks",
    type=click.IntRange(1, 5000),
    default=1000,
    show_default=True,
    help="Maximum number of blocks.",
)
@click.option(
    "--results", "file", metavar="FILE", help="Compute from this results file, without the service."
)
@service_options
@session_of
def test(
    session: Session,
    names: tuple[str, ...],
    elo0: int,
    elo1: int,
    alpha: float,
    beta: float,
    blocks: int,
    file: str | None,
) -> int:
    """Test whether entry A is stronger than B.

    The service plays no more matches than the test needs; they do not count for the ratings. A and B are
    names or ids of entries. Ctrl-C leaves the test running.
    """
    if elo0 >= elo1:
        raise WrongUse("--elo1 must be greater than --elo0")
    if len(names) != (2 if file else 3):
        raise WrongUse("name A and B" if file else "name the ladder, A and B")
    if file is not None:
        return _of_results(session, file, names, (elo0, elo1, round(100 * alpha), round(100 * beta)))
    session.require_account()
    with session.patient_client() as client:
        ladder_id = names[0]
        a, b = (entry_named(client, ladder_id, name) for name in names[1:])
        job = client.open_test(
            ladder_id,
            a,
            b,
            elo0=elo0,
            elo1=elo1,
            alpha=round(alpha, 2),
            beta=round(beta, 2),
            most_blocks=blocks,
        )
        return _followed(session, client, job)


def _followed(session: Session, client: Client, job: Job) -> int:
    session.warn(f"test {job.round} is job {job.job_id}")
    done, latest = 0, job
    try:
        for latest in shown(session, client, job):
            if latest.progress.done > done:
                done = latest.progress.done
                session.err.print(_so_far(client.test(job.ladder_id, str(job.round))), soft_wrap=True)
    except KeyboardInterrupt:
        session.warn(f"the test continues; to follow it, run: machi ladder watch {job.job_id}")
        return INTERRUPTED
    session.show(client.test(job.ladder_id, str(job.round)), lambda over: session.say(_summary(over)))
    return 0 if latest.status == "finished" else 1


def _so_far(test: SequentialTest) -> str:
    if test.llr is None or test.lower is None or test.upper is None:
        return f"{test.blocks} blocks"
    counts = f"{test.wins_a} won, {test.wins_b} lost, {test.others} neither"
    return f"{test.blocks} blocks: {counts}; LLR {test.llr:.3f} ({test.lower:.3f}, {test.upper:.3f})"


def _summary(test: SequentialTest) -> str:
    decision = (test.decision or test.status).replace("_", " ")
    if test.elo is None or test.elo_interval is None:
        return f"{decision}: {_so_far(test)}"
    low, high = test.elo_interval
    return f"{decision}: {_so_far(test)}; {test.elo:+.1f} Elo ({low:+.1f}..{high:+.1f})"


def _of_results(session: Session, file: str, names: tuple[str, ...], asked: tuple[int, int, int, int]) -> int:
    """The same test over existing results; `asked` has elo0, elo1, and alpha and beta in per cent."""
    from domain.ladder.sprt import Hypotheses, sequential_test

    results = results_in(file, of_test=True)
    a, b = (_in_results(results, name) for name in names)
    if a == b:
        raise WrongUse("A and B are the same entry")
    found = sequential_test(results.blocks, a, b, Hypotheses(*asked))
    session.show(found, lambda found: session.say(_summary_of_results(found)))
    return 0


def _summary_of_results(found: "SprtState") -> str:
    counts = f"{found.wins} won, {found.losses} lost, {found.others} neither"
    bounds = f"LLR {found.llr:.3f} ({found.bounds[0]:.3f}, {found.bounds[1]:.3f})"
    elo = f"{found.elo:+.1f} Elo ({found.elo_interval[0]:+.1f}..{found.elo_interval[1]:+.1f})"
    return f"{found.decision.replace('_', ' ')}: {found.blocks} blocks: {counts}; {bounds}; {elo}"


def _in_results(results: "Results", name: str) -> str:
    found = [one.entry for one in results.entries if name in (one.entry, one.name)]
    if not found:
        raise Unusable(f"the results have no entry called {one_line(name)!r}")
    return found[-1]
