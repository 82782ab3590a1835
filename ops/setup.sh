#!/bin/sh
# Run ops/setup.py with the first Python that is new enough: `sh ops/setup.sh run|test`.
# If PYTHON is set, only that one is tried.
set -eu
if [ -n "${PYTHON:-}" ]; then
    set -- "$1" "$PYTHON"
else
    set -- "$1" python3 python3.14 python3.13 python3.12 python3.11
fi
purpose=$1
shift
found=
for python in "$@"; do
    # A version manager may have a command of that name that does not work.
    version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue
    found="$found $python $version,"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || continue
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "error: $python has no venv module; install it (Debian: python3-venv) or set PYTHON=..." >&2
        exit 1
    fi
    exec "$python" -m ops.setup "$purpose"
done
if [ -n "$found" ]; then found=" (found:${found%,})"; fi
echo "error: Python 3.11 or newer is needed$found; set PYTHON=..." >&2
exit 1
