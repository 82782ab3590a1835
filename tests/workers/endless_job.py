"""A worker process whose jobs never end."""

from pathlib import Path

ENDLESS_JOB = """
import os, signal
from workers.main import main
from workers.queue.play_job import PlayJob

def wait(job):
    print(os.getpid(), flush=True)
    signal.pause()

PlayJob.perform = wait
main()
"""
"""The worker process, with jobs that never end."""


def _is_alive(pid: int) -> bool:
    """Whether the process is there, and not just waiting for somebody to ask how it ended."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
