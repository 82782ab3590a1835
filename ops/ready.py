"""Tell when the service is ready: `python -m ops.ready URL` polls URL/readyz."""

import os
import sys
import time
import urllib.error
import urllib.request

DEADLINE_S = 60.0


def problem(url: str) -> str | None:
    """Why the service is not ready now, or None if it is."""
    # No proxy: the service is on this machine whatever the environment says.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/readyz", timeout=2):
            return None
    except urllib.error.HTTPError as error:
        with error:
            return f"it answers {error.code}"
    except OSError as error:
        return str(error)


def main(arguments: list[str]) -> int:
    """Poll until ready or too late, and say which; end in silence with the parent."""
    url, parent_pid = arguments[0], os.getppid()
    deadline = time.monotonic() + DEADLINE_S
    while reason := problem(url):
        if time.monotonic() > deadline:
            print(f"not ready after {DEADLINE_S:.0f} s: {url}/readyz: {reason}", file=sys.stderr)
            return 1
        if os.getppid() != parent_pid:
            return 1
        time.sleep(0.1)
    print(f"ready: {url}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
