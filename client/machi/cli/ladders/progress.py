"""Waiting for a job, with a progress bar on a terminal."""

import time
from collections import deque
from collections.abc import Iterator
from typing import Final

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from machi.cli.session import Session
from machi.client import Client
from machi.ladders import Job

PAUSE_S: Final = 0.5
"""Seconds between two polls of a job."""
INTERRUPTED: Final = 130
NAMES: Final = {"ladder_round": "round", "sequential_test": "test", "probe": "probes"}


def followed(session: Session, client: Client, job: Job, stops: bool, as_json: bool) -> int:
    """Wait until the job has finished or stopped; return the exit code. Ctrl-C stops the job only with
    `stops`.
    """
    session.warn(f"{NAMES.get(job.kind, job.kind)} {job.round} is job {job.job_id}")
    try:
        latest = deque(shown(session, client, job), maxlen=1)[0]
    except KeyboardInterrupt:
        _leave(session, client, job, stops)
        return INTERRUPTED
    if as_json:
        print(latest.raw.decode(), flush=True)
    else:
        session.say(_summary(latest))
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
    if job.table is not None and job.progress.done == job.progress.total:
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
    done = f"{job.progress.done} of {job.progress.total} blocks"
    if job.status == "finished":
        return f"Finished: {done}."
    return f"Stopped ({job.stopped_for}) after {done}. To resume it, run: machi ladder resume {job.job_id}"
