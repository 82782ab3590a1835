"""The REST service: Flask over the event store. `service.app.create_app` makes it.

Views parse, ask `events` or `domain`, and answer; `service.problems` holds every error, `openapi.yaml` is
written from the code by `python -m service`.
"""
