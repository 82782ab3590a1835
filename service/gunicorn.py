"""How gunicorn serves the app; settings come from the environment, see `runtime.settings`.

The app is loaded in each worker, so every process has connections of its own.
"""

import resource
from typing import Any

from runtime.settings import settings_or_exit
from runtime.watchdog import Watchdog

_settings = settings_or_exit()

# A connection is a file, and many systems let a process have only 1024 unless it asks for more.
_, _most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (_most, _most))

bind = f"{_settings.host}:{_settings.port}"
worker_class = "service.live.worker.Worker"
workers = _settings.web_workers
# All open connections: streams, long polls, requests in progress, unfinished and idle ones.
worker_connections = 6000
# No header of a request may change the path that a proxy in front has seen.
forwarder_headers = ""
preload_app = False
timeout = 30
# When the service stops, open streams are cut and long polls are answered; their clients reconnect.
graceful_timeout = 5
keepalive = 30
control_socket_disable = True
accesslog = None
loglevel = "warning"
# Header lines have bounds of their own; the body's is the app's.
limit_request_line = 8190


def when_ready(arbiter: Any) -> None:
    """Send heartbeats from the arbiter's loop, each time that it checks those of its workers."""
    watchdog, check_workers = Watchdog(_settings.notify_socket), arbiter.murder_workers

    def check_with_heartbeat() -> None:
        watchdog.beat()
        check_workers()

    arbiter.murder_workers = check_with_heartbeat
