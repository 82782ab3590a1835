"""The app for WSGI servers: `gunicorn -c service/gunicorn.py service.wsgi:app`."""

import os

from events.settings import from_env
from service.app import create_app
from service.logs import configure

_settings = from_env(os.environ)
configure(_settings.log_level)
app = create_app(_settings)
