"""The configuration of gunicorn; settings come from the environment, see `runtime.settings`.

Each worker loads the app itself, so every process has its own connections.
"""

import resource
from typing import Any

from runtime.settings import settings_or_exit
from runtime.watchdog import Watchdog

_settings = settings_or_exit()

# A connection is a file, and the default limit of many systems is 1024 files per process.
_, _most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (_most, _most))

bind = f"fd://{_settings.listen_fd}" if _settings.listen_fd else f"{_settings.host}:{_settings.port}"
worker_class = "service.live.worker.Worker"
workers = _settings.web_workers
# All open connections: streams, long polls, requests in progress, unfinished and idle ones.
worker_connections = 6000
# No header of a request may change the path that the proxy has checked.
forwarder_headers = ""
preload_app = False
timeout = 30
# When the service stops, open streams are cut and long polls are answered; their clients reconnect.
graceful_timeout = 5
keepalive = 30
control_socket_disable = True
accesslog = None
loglevel = "warning"
# gunicorn limits the header lines by itself, and the app limits the body.
limit_request_line = 8190


def when_ready(arbiter: Any) -> None:
    """Send a heartbeat whenever the arbiter's loop checks its workers."""
    watchdog, check_workers = Watchdog(_settings.notify_socket), arbiter.murder_workers

    def check_with_heartbeat() -> None:
        watchdog.beat()
        check_workers()

    arbiter.murder_workers = check_with_heartbeat
