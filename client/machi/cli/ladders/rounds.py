"""`machi ladder run`, `value`, `watch`, `stop`, `resume`, `probe` and `verify`: rounds and their jobs."""

import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from machi.cli.exits import INTERRUPTED
from machi.cli.ladders.administration import entry_named
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.cli.verify import require_signatures
from machi.client import Client
from machi.ladders import Job, Ladder
from machi.values import LadderRound

PAUSE_S: Final = 0.5
"""Seconds between two polls of a job."""
NAMES: Final = {"ladder_round": "round", "sequential_test": "test", "probe": "probes"}
JOB_ENDS = """\b
Exit codes: 0 finished, 1 refused by the service, or the job was stopped,
2 wrong usage, 3 service unreachable, 130 interrupted (the job continues).
"""


@click.command(
    epilog=f"""{JOB_ENDS}
\b
Examples:
  machi ladder run LADDER --blocks 100
  machi ladder run LADDER --blocks 1000 --detach
  machi ladder run CUP                        plays a tournament to its end
  machi ladder run LADDER --blocks 100 --at YYYY-MM-DDThh:mm:ssZ \\
    --public-value "drand quicknet, round 12345678: randomness"
"""
)
@click.argument("ladder_id", metavar="LADDER")
@click.option(
    "--blocks",
    type=click.IntRange(1, 5000),
    help="Number of blocks; a block is one table in all seat rotations. Not for tournaments.",
)
@click.option("--detach", is_flag=True, help="Exit without waiting for the round to finish.")
@click.option("--stop", "stops", is_flag=True, help="Stop the round on Ctrl-C.")
@click.option(
    "--public-value",
    "source",
    metavar="SOURCE",
    help="Name of the source that will publish the public value.",
)
@click.option(
    "--at",
    metavar="TIME",
    help="Time of its publication, between 60 seconds and 30 days from now, as YYYY-MM-DDThh:mm:ssZ.",
)
@service_options
@session_of
def run(
    session: Session,
    ladder_id: str,
    blocks: int | None,
    detach: bool,
    stops: bool,
    source: str | None,
    at: str | None,
) -> int:
    """Play a round of blocks on the workers, or a whole tournament.

    Waits until it has finished. Ctrl-C leaves it running. With --public-value, the dice derive from a value
    that nobody knows yet: the command exits at once, and the round starts when `machi ladder value` records
    the value. A season with a schedule (see `machi ladder create`) is played from the first round of its
    tournament to the last; it takes no --blocks.
    """
    if (source is None) != (at is None):
        raise WrongUse("--public-value and --at require each other")
    session.require_account()
    with session.patient_client() as client:
        job = client.open_round(ladder_id, blocks, public_value=(source, at) if source and at else None)
        if detach or source:
            session.show(job, lambda job: session.say(job.job_id))
        if source:
            session.warn(
                f"round {job.round} waits for its value; record it with: "
                f"machi ladder value {ladder_id} {job.round} VALUE"
            )
        if detach or source:
            return 0
        return followed(session, client, job, stops) if blocks else played(session, client, job, stops)


def played(session: Session, client: Client, job: Job, stops: bool) -> int:
    """Wait until the tournament of the job has finished or stopped; return the exit code."""
    while True:
        code = followed(session, client, job, stops)
        rounds = client.tournament(job.ladder_id).rounds
        if code or rounds[-1].job_id == job.job_id:
            return code
        following = next(one for one in rounds if one.round > job.round)
        job = client.job(following.job_id)


@click.command(
    epilog="""\b
Example:
  machi ladder value LADDER 3 5f3c9a07d1e2b4c6880917a6b5c4d3e2f10f9e8d7c6b5a49
"""
)
@click.argument("ladder_id", metavar="LADDER")
@click.argument("number", metavar="ROUND", type=click.IntRange(1))
@click.argument("text", metavar="VALUE")
@service_options
@session_of
def value(session: Session, ladder_id: str, number: int, text: str) -> None:
    """Record the public value of a round.

    The round waits for it. Give VALUE exactly as it was published, character by character. You cannot change
    it later.
    """
    session.require_account()
    with session.client() as client:
        session.show(client.record_value(ladder_id, number, text), lambda round: _say_value(session, round))


def _say_value(session: Session, round: LadderRound) -> None:
    session.say(f"Round {round.round} has its value. To follow it, run: machi ladder watch {round.job_id}")


@click.command(epilog=JOB_ENDS)
@click.argument("job_id", metavar="JOB")
@service_options
@session_of
def watch(session: Session, job_id: str) -> int:
    """Wait for a job and show its progress.

    A job is a round, a test or the probes of a bot.
    """
    with session.patient_client() as client:
        return followed(session, client, client.job(job_id), False)


@click.command()
@click.argument("job_id", metavar="JOB")
@service_options
@session_of
def stop(session: Session, job_id: str) -> None:
    """Stop a job.

    Blocks that are being played are finished, and no new ones start. Even after its last block, a stopped
    round is finished only once it is resumed.
    """
    session.require_account()
    with session.client() as client:
        session.show(client.stop_job(job_id), lambda job: _say_stopped(session, job))


def _say_stopped(session: Session, job: Job) -> None:
    # Nobody knows yet how many more of them the workers finish.
    played = "" if _is_played(job) else ", and those that are being played still count"
    session.say(f"Stopped. {_blocks(job)} are over{played}. {_hint(job)}")


@click.command()
@click.argument("job_id", metavar="JOB")
@service_options
@session_of
def resume(session: Session, job_id: str) -> None:
    """Resume a stopped job."""
    session.require_account()
    with session.client() as client:
        session.show(client.resume_job(job_id), lambda job: _say_resumed(session, job))


def _say_resumed(session: Session, job: Job) -> None:
    session.say(f"Resumed after {_blocks(job)}.")


@click.command(
    epilog="""\b
Exit codes: 0 the bot is reinstated, 1 it is not, or refused by the service,
2 wrong usage, 3 service unreachable, 130 interrupted (the job continues).
"""
)
@click.argument("ladder_id", metavar="LADDER")
@click.argument("name", metavar="ENTRY")
@service_options
@session_of
def probe(session: Session, ladder_id: str, name: str) -> int:
    """Let a suspended bot play probe matches.

    Waits for the matches and reports whether the bot is reinstated. ENTRY is the name or the id of an entry.
    """
    session.require_account()
    with session.patient_client() as client:
        entry_id = entry_named(client, ladder_id, name)
        job = client.probe(ladder_id, entry_id)
        code = followed(session, client, job, False)
        return code or _judged(session, client.ladder(ladder_id), entry_id)


def _judged(session: Session, ladder: Ladder, entry_id: str) -> int:
    """Print the result of the probes; return the exit code."""
    (entry,) = [one for one in ladder.entries if one.entry_id == entry_id]
    if entry.status == "active":
        session.say(f"{entry.name} is reinstated.", "green")
        return 0
    good, needed = len(entry.good_probes), ladder.config.suspension.probes
    session.say(f"{entry.name} is still {entry.status}: {good} of {needed} good probes in a row.", "red")
    session.warn(f"`GET /v1/ladders/{ladder.ladder_id}/entries/{entry_id}/faults` shows what went wrong")
    return 1


@click.command(
    epilog="""\b
Exit codes: 0 the round or tournament and all its matches are verified, 1 at
least one check failed, 2 none failed but something is not there yet (or wrong
usage), 3 something is unreadable, 130 interrupted.

\b
Examples:
  machi ladder verify LADDER 3                round 3, with its public value
  machi ladder verify LADDER 3 --keys keys.json --json
  machi ladder verify LADDER                  the last tournament
  machi ladder verify LADDER --history events.ndjson
"""
)
@click.argument("ladder_id", metavar="LADDER")
@click.argument("number", metavar="[ROUND]", type=click.IntRange(1), required=False)
@click.option(
    "--season", type=click.IntRange(1), help="Verify the tournament of this season instead of the last one."
)
@click.option(
    "--history",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Verify the tournament from the events in this file, without the service and without matches.",
)
@click.option(
    "--keys", type=click.Path(path_type=Path), metavar="KEYS", help="Trust only the keys in this file."
)
@service_options
@session_of
def verify(
    session: Session,
    ladder_id: str,
    number: int | None,
    season: int | None,
    history: Path | None,
    keys: Path | None,
) -> int:
    """Verify a round with a public value or, without ROUND, a tournament.

    For a round, checks its seed, its value and all its matches. The command prints the value and its source;
    look the value up there yourself. For a tournament, recomputes the field, the pairing of every round and
    the places, and checks all matches. With --json, the matches come first and the round or tournament last.
    KEYS is a saved response of GET /v1/signing-keys. FILE is an output of `machi ladder export --events`.
    """
    require_signatures()
    from machi.cli.audits import rounds

    if number is not None:
        if season is not None or history is not None:
            raise WrongUse("--season and --history are for tournaments, without ROUND")
        return rounds.verify_of_service(session, ladder_id, number, keys)
    if history is not None:
        return rounds.verify_tournament_in_file(session, history, season)
    return rounds.verify_tournament_of_service(session, ladder_id, season, keys)


def followed(session: Session, client: Client, job: Job, stops: bool) -> int:
    """Wait until the job has finished or stopped; return the exit code. Ctrl-C stops the job only with
    `stops`.
    """
    session.warn(f"{NAMES.get(job.kind, job.kind)} {job.round} is job {job.job_id}")
    try:
        latest = deque(shown(session, client, job), maxlen=1)[0]
    except KeyboardInterrupt:
        _leave(session, client, job, stops)
        return INTERRUPTED
    session.show(latest, lambda latest: session.say(_summary(latest)))
    return 0 if latest.status == "finished" else 1


def shown(session: Session, client: Client, job: Job) -> Iterator[Job]:
    """Poll the job until it has finished or stopped, and show its progress."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("blocks  {task.fields[speed]}"),
    )
    with Progress(
        *columns, console=session.err, transient=True, disable=not session.err.is_terminal
    ) as progress:
        task = progress.add_task(NAMES.get(job.kind, job.kind), total=job.progress.total, speed="")
        while True:
            _update(progress, task, job)
            yield job
            if job.is_over:
                return
            time.sleep(PAUSE_S)
            job = client.job(job.job_id)


def _update(progress: Progress, task: TaskID, job: Job) -> None:
    progress.update(task, completed=job.progress.done, speed=speed(job))


def speed(job: Job) -> str:
    """The speed and the remaining time; at the end, the progress of the table."""
    if job.table is not None and _is_played(job):
        return f"table {100 * job.table.done // job.table.total} %"
    if job.matches_per_second is None or job.eta_s is None:
        return job.status
    minutes, seconds = divmod(job.eta_s, 60)
    hours, minutes = divmod(minutes, 60)
    left = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"{job.matches_per_second:.1f} matches/s, {left} left"


def _leave(session: Session, client: Client, job: Job, stops: bool) -> None:
    if stops:
        client.stop_job(job.job_id)
        session.warn(f"stopped; to resume it, run: machi ladder resume {job.job_id}")
    else:
        session.warn(f"the job continues; to follow it, run: machi ladder watch {job.job_id}")


def _summary(job: Job) -> str:
    if job.status == "finished":
        return f"Finished: {_blocks(job)}."
    return f"Stopped ({job.stopped_for}) after {_blocks(job)}. {_hint(job)}"


def _blocks(job: Job) -> str:
    return f"{job.progress.done} of {job.progress.total} blocks"


def _is_played(job: Job) -> bool:
    return job.progress.done == job.progress.total


def _hint(job: Job) -> str:
    """What to do with a stopped job."""
    what = "finish" if _is_played(job) else "resume"
    return f"To {what} it, run: machi ladder resume {job.job_id}"
