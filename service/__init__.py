"""The REST service: Flask over the event store. `service.app.create_app` makes it.

Views parse, ask `events` or `domain`, and answer; `service.edge.problems` has every error.
`python -m service` writes `openapi.yaml` from the code.
"""
