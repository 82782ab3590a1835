"""The app for WSGI servers: `gunicorn -c service/gunicorn.py service.wsgi:app`."""

from runtime.settings import settings_or_exit
from service.app import create_app
from service.context import EXTENSION
from service.edge.logs import configure

_settings = settings_or_exit()
configure(_settings.log_level, log_format=_settings.log_format, has_requests=_settings.log_requests)
app = create_app(_settings)
if _settings.traces:
    from service.edge.tracing import trace_requests

    trace_requests(app)
# From now on, this process drops a match or a ladder from its cache as soon as the log reports it damaged.
app.extensions[EXTENSION].watcher.start()
