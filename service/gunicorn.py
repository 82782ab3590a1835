"""How gunicorn serves the app; settings come from the environment, see `events.settings`.

The app is loaded in each worker, so every process has connections of its own.
"""

from events.settings import settings_or_exit

_settings = settings_or_exit()

bind = f"{_settings.host}:{_settings.port}"
worker_class = "service.worker.ProblemWorker"
workers = _settings.web_workers
threads = _settings.web_threads
preload_app = False
timeout = 60
# An open long poll is cut when the service stops: its client asks again.
graceful_timeout = 5
keepalive = 30
control_socket_disable = True
accesslog = None
loglevel = "warning"
# Header lines have bounds of their own; the body's is the app's.
limit_request_line = 8190
