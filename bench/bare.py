"""The baselines of commands over HTTP: a Flask application with two routes that run one script each.

It is a module of its own because gunicorn loads it: `gunicorn -c service/gunicorn.py bench.bare:app`.
"""

import json
import os
from itertools import accumulate
from typing import Any, Final

from flask import Flask, Response, jsonify, request
from msgspec import convert

from bench.durable import FIVE_ENTRIES
from bench.over_http import LAST, RECORDED, Recorded
from events.store import keys
from runtime.connection import connect

HASH, SHORT_NAME, ID = 10, 11, 12
"""Places among the arguments of `append.lua`: the hash, short name and id of the only entry."""

app = Flask(__name__)
_client = connect(os.environ["EVENTS_REDIS_URL"])
_script = _client.register_script(FIVE_ENTRIES)
_recorded: Final = convert(json.loads(os.environ.get(RECORDED, "[]")), list[Recorded])
_arguments: Final[list[list[Any]]] = [
    [argument.encode("latin-1") for argument in one.arguments] for one in _recorded
]
_versions: Final = [*accumulate([one.size for one in _recorded], initial=0)]
"""The version before each recorded command, and after the last."""


@app.post("/append/<match_id>")
def append(match_id: str) -> Response:
    """Append five entries to an existing stream."""
    return jsonify(version=_script(keys=[keys.match(match_id)], args=[b"x" * 100]))


@app.post("/least/<match_id>/<int:number>")
def least(match_id: str, number: int) -> Response:
    """Store the recorded commands in turn, as number 0, 1 and so on of a new stream, and give their answers.

    This is the least that the contract costs with this server and this client: the request is read, the
    script of the service stores as much as for a command, and the answer has all its headers. Nothing is
    checked, decided, encoded or hashed.
    """
    request.get_data()
    times, turn = divmod(number, len(_recorded))
    one, arguments = _recorded[turn], [*_arguments[turn]]
    before = times * _versions[-1]
    arguments[0], arguments[LAST] = before + _versions[turn], before + _versions[turn + 1]
    arguments[1] = _arguments[turn - 1][HASH]
    arguments[SHORT_NAME] = arguments[ID] = b"%d" % number
    names = [keys.match(match_id), keys.commands(match_id), *one.keys[2:]]
    reply = _client.evalsha(one.sha, len(names), *names, *arguments)
    assert reply[0] == b"appended", reply
    return Response(one.body, 201, one.headers)
