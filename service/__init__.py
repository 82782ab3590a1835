"""The REST service: Flask over the event store. `service.app.create_app` creates the app.

Views parse requests, call `events` or `domain`, and build responses. `contract.problems` lists all errors.
`python -m service` generates `openapi.yaml` from the code.
"""
