"""The baseline of commands over HTTP: a Flask application whose only route runs one script.

It is a module of its own because gunicorn loads it: `gunicorn -c service/gunicorn.py bench.bare:app`.
"""

import os

from flask import Flask, Response, jsonify

from bench.durable import FIVE_ENTRIES
from events.store import keys
from runtime.connection import connect

app = Flask(__name__)
_client = connect(os.environ["EVENTS_REDIS_URL"])
_script = _client.register_script(FIVE_ENTRIES)


@app.post("/append/<match_id>")
def append(match_id: str) -> Response:
    """Append five entries to an existing stream."""
    return jsonify(version=_script(keys=[keys.match(match_id)], args=[b"x" * 100]))
