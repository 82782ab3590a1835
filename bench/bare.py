"""The least that a durable command over HTTP can be: a bare Flask route that runs one script.

`gunicorn -c service/gunicorn.py bench.bare:app` serves it with the settings of the service.
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
    """Add five entries to a stream that is there."""
    return jsonify(version=_script(keys=[keys.match(match_id)], args=[b"x" * 100]))
