# syntax=docker/dockerfile:1
# The service: web processes, relay, workers and commands. deploy/compose and deploy/kubernetes run it.
FROM python:3.13-slim-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc=4:* libc6-dev=2.* \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY . .
# The locked dependencies, those of traces included, then the kernel and the rules, compiled for exactly these sources.
RUN OTEL_EXPORTER_OTLP_ENDPOINT=set python3 -m ops.setup run \
    && .venv/bin/python -m kernel.engine \
    && .venv/bin/python -m ops.compiled \
    && rm -rf .venv/build-tools .venv/compiled \
    && .venv/bin/python -m compileall -q contract domain kernel players review runtime events workers service ops

FROM python:3.13-slim-bookworm
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin machi \
    && install --directory --owner=10001 /archive
WORKDIR /app
COPY --from=build /app /app
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOST=0.0.0.0 \
    LOG_FORMAT=json
USER 10001
EXPOSE 8000
# Nothing is written but to mounted volumes and to memory, so the root file system can be read-only.
CMD ["python", "-m", "gunicorn", "-c", "service/gunicorn.py", "service.wsgi:app"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
