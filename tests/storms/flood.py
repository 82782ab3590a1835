"""Four fresh accounts that make matches of built-in players as fast as they can: a process of its own.

`python -m tests.storms.flood PORT SECONDS NAME`; it prints how many were made, and how many refused.
"""

import http.client
import json
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import Final

ACCOUNTS: Final = 4
ADDRESS: Final = "127.0.0.3"
"""Where they come from: not where people do."""

SEATS: Final = [{"kind": "strategy", "strategy": "random"}] * 4


def make_matches(port: int, name: str, until_s: float, counts: Counter[str]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=(ADDRESS, 0))
    headers = {"Content-Type": "application/json"}
    while time.monotonic() < until_s:
        is_known = "Authorization" in headers
        path = "/v1/matches" if is_known else "/v1/accounts"
        body = {"ruleset": "base", "seats": SEATS} if is_known else {"handle": name}
        try:
            connection.request("POST", path, json.dumps(body), headers)
            with connection.getresponse() as response:
                told = response.read()
        except (OSError, http.client.HTTPException):
            counts["no answer"] += 1
            connection.close()
            continue
        counts[f"{path} {response.status}"] += 1
        if response.status == 201 and not is_known:
            headers["Authorization"] = f"Bearer {json.loads(told)['token']}"
    with suppress(OSError):
        connection.close()


def main() -> None:
    port, seconds, name = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    counts: Counter[str] = Counter()
    until_s = time.monotonic() + seconds
    threads = [
        threading.Thread(target=make_matches, args=(port, f"{name}-{number}", until_s, counts))
        for number in range(ACCOUNTS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(", ".join(f"{what}: {count}" for what, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
