"""The worker process, `python -m workers.main`: an RQ worker that plays built-in seats and rounds of ladders,
and computes reviews.

RQ forks a process for each job after all modules are loaded. `workers.queue.play_job` refuses any other job.
With `--people` the worker plays only in matches with people, so that they wait for no other job, and forks
for none. With `--webhooks` it only sends notifications to webhooks, because nothing else may wait for their
servers. Heartbeats come from the workers that play everything: without them, matches of built-in players and
ladders would stand still. An RQ worker leaves its loop when the queue's Redis goes away during a job; this
process then starts another.
"""

import argparse
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, NoReturn

import redis
import structlog
from rq import SimpleWorker, Worker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.worker import BaseWorker, WorkerStatus

import players
from runtime import heartbeat
from runtime.queue import LADDERS, PEOPLE, QUEUE, REVIEWS, WEBHOOKS
from runtime.watchdog import Watchdog
from workers import jobs
from workers.operations.lifetime import machine, tie_children
from workers.operations.startup import begin
from workers.queue.client import QueueUnavailable, beat, connect, enqueue_turns, open_queue
from workers.queue.play_job import PlayJob

WORKER_TTL_S: Final = 20
"""RQ forgets a worker without a heartbeat after this time, and blocks on the queues for 15 seconds less."""
MONITORING_S: Final = 5
"""The interval at which a worker checks its running job."""
FIRST_PAUSE_S: Final = 0.1
RETRIES: Final = 10
"""How often a worker sends a command again before RQ waits for a second; most restarts are shorter."""
ANSWER_S: Final = 10
"""The time limit of an answer: longer than RQ blocks on the queues, and shorter than a supervisor waits for a
heartbeat, because the loop sends one between two attempts if the queue's Redis hangs."""
LONGEST_WAIT_S: Final = 1.0
"""The longest back-off while the queue's Redis is away."""
WORKED_S: Final = 5.0
"""An RQ worker that ran for this time resets the back-off."""

log = structlog.get_logger("workers.main")


def main() -> int:
    """Run until SIGTERM or SIGINT; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m workers.main", description="Play built-in seats and ladders."
    )
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--people", action="store_true", help="play only in matches with people")
    only.add_argument("--webhooks", action="store_true", help="only send notifications to webhooks")
    chosen = parser.parse_args()
    only_queue = PEOPLE if chosen.people else WEBHOOKS if chosen.webhooks else ""
    settings = begin("worker")
    jobs.prepare(settings)
    _prepare_players(only_queue)
    tie_children()
    _leave_on_signals()  # before the first heartbeat says that this process is there
    _start_monitor(settings.queue_redis_url, sends_heartbeats=not only_queue)
    watchdog = Watchdog(settings.notify_socket)
    pause_s, began_s = FIRST_PAUSE_S, time.monotonic()
    while _worked(settings.queue_redis_url, only_queue, watchdog):
        if time.monotonic() - began_s > WORKED_S:
            pause_s = FIRST_PAUSE_S
        log.warning("worker_restarts", pause_s=pause_s)
        time.sleep(pause_s)
        pause_s, began_s = min(2 * pause_s, LONGEST_WAIT_S), time.monotonic()
    return 0


def _prepare_players(only_queue: str) -> None:
    """Load what players need, unless the worker plays nothing."""
    if only_queue != WEBHOOKS:
        players.prepare()


def _worked(queue_url: str, only_queue: str, watchdog: Watchdog) -> bool:
    """Run one RQ worker, of one queue or of all, until it leaves its loop; false if it was told to stop."""
    _leave_on_signals()
    watchdog.beat()
    worker = None
    try:
        worker = _new_worker(queue_url, only_queue, watchdog)
        worker.work(logging_level="WARNING")
    except redis.RedisError as error:
        log.warning("queue_unavailable", error=str(error))
    except StopRequested:
        log.debug("stopped_at_the_end_of_its_loop")
    if worker is not None and worker.pubsub_thread is not None:
        worker.pubsub_thread.stop()  # RQ does not stop it when the queue's Redis is away
    was_told = _stopping_worker() is not None
    _leave_on_signals()
    return not was_told


def _stopping_worker() -> BaseWorker | None:
    """The RQ worker that was told to stop: it has installed its handler for a second signal."""
    handler = signal.getsignal(signal.SIGTERM)
    worker = getattr(handler, "__self__", None)
    return worker if isinstance(worker, BaseWorker) and handler == worker.request_force_stop else None


def _new_worker(queue_url: str, only_queue: str, watchdog: Watchdog) -> BaseWorker:
    worker_class: type[BaseWorker] = SimpleWorker if only_queue else Worker
    worker = worker_class(
        [only_queue] if only_queue else [PEOPLE, QUEUE, REVIEWS, LADDERS],
        connection=connect(queue_url, RETRIES, _beats_of_loop(watchdog)),
        job_class=PlayJob,
        serializer="json",
        worker_ttl=WORKER_TTL_S,
        maintenance_interval=60,
        job_monitoring_interval=MONITORING_S,
        work_horse_killed_handler=_requeue_killed,
        log_job_description=False,
    )
    connections = worker.connection.connection_pool
    connections.connection_kwargs["socket_timeout"] = ANSWER_S  # RQ has set 10 s more than it blocks
    connections.disconnect()
    worker.hostname = machine()
    worker.max_connection_wait_time = LONGEST_WAIT_S
    worker.heartbeat = _Heartbeat(worker, watchdog, only_queue)  # type: ignore[method-assign]  # RQ has no other hook in its loop
    return worker


def _beats_of_loop(watchdog: Watchdog) -> Callable[[], None]:
    """A heartbeat while the loop waits for the queue's Redis; none of RQ's other thread and of jobs, which
    share its connections and may be alive while the loop hangs.
    """
    pid = os.getpid()

    def beat_in_loop() -> None:
        if os.getpid() == pid and threading.current_thread() is threading.main_thread():
            watchdog.beat()

    return beat_in_loop


def _requeue_killed(job: Job, *_: object) -> None:
    """Put the turns of a killed job back on the queue at once."""
    turns, attempt = job.lost_turns() if isinstance(job, PlayJob) else ([], 0)
    if turns:
        with contextlib.suppress(QueueUnavailable):
            enqueue_turns(open_queue(job.connection, job.origin), turns, attempt)


class _Heartbeat:
    """RQ's heartbeat, which its loop calls before it blocks on the queues and while a job runs.

    A kernel that was compiled after the start is loaded here, or each job would load it for itself.
    """

    def __init__(self, worker: BaseWorker, watchdog: Watchdog, only_queue: str) -> None:
        self._worker = worker
        self._heartbeat = worker.heartbeat
        self._watchdog = watchdog
        self._only_queue = only_queue
        self._was_stopped = False

    def __call__(self, timeout: int | None = None, pipeline: Any = None) -> None:
        self._watchdog.beat()
        _prepare_players(self._only_queue)
        self._end_stopped_job()
        self._heartbeat(timeout, pipeline)

    def _end_stopped_job(self) -> None:
        """Kill a job that was stopped by a signal at two checks in a row: its own time limit cannot fire."""
        is_stopped = _is_stopped(self._worker.horse_pid)
        if is_stopped and self._was_stopped:
            log.error("job_stopped", pid=self._worker.horse_pid)
            self._worker.kill_horse()
        self._was_stopped = is_stopped


def _is_stopped(child_pid: int) -> bool:
    if not child_pid:
        return False
    try:
        found = os.waitid(os.P_PID, child_pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return found is not None


def _leave_on_signals() -> None:
    """Replace the handlers of an RQ worker that has left its loop."""
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signal_number, _leave)


def _leave(signal_number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def _start_monitor(queue_url: str, sends_heartbeats: bool) -> None:
    arguments = (queue_url, sends_heartbeats)
    threading.Thread(target=_monitor, args=arguments, daemon=True, name="monitor").start()


def _monitor(queue_url: str, sends_heartbeats: bool) -> None:
    """Send heartbeats, and end the process if an idle worker does not react to its signal."""
    client = connect(queue_url)
    was_to_end = False
    while True:
        if sends_heartbeats:
            beat(client, "worker")
        is_to_end = _is_to_end()
        if is_to_end and was_to_end:
            os.kill(os.getpid(), signal.SIGTERM)
        was_to_end = is_to_end
        time.sleep(heartbeat.PAUSE_S)


def _is_to_end() -> bool:
    """Whether an idle worker was told to stop.

    RQ stops it by an exception in the main thread, which is lost if that thread is writing to the log:
    `logging` catches every exception there.
    """
    worker = _stopping_worker()
    return worker is not None and worker.get_state() != WorkerStatus.BUSY


if __name__ == "__main__":
    sys.exit(main())
