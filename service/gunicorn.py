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
# All that are open at a time: streams, long polls, at work, unfinished and idle.
worker_connections = 6000
# No header of a request may change the path that a proxy in front has seen.
forwarder_headers = ""
preload_app = False
timeout = 30
# Open streams are cut and long polls answered when the service stops: their clients ask again.
graceful_timeout = 5
keepalive = 30
control_socket_disable = True
accesslog = None
loglevel = "warning"
# Header lines have bounds of their own; the body's is the app's.
limit_request_line = 8190


def when_ready(arbiter: Any) -> None:
    """Have the arbiter's loop give signs of life; it looks by itself whether its workers give theirs."""
    watchdog, look = Watchdog(_settings.notify_socket), arbiter.murder_workers

    def beating() -> None:
        watchdog.beat()
        look()

    arbiter.murder_workers = beating
