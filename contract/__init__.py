"""The responses of the API, declared once.

Each object of a response is a Struct that also describes its members. The service encodes it, `openapi.yaml`
is generated from it, and the client decodes responses into it. Requests are marshmallow schemas of the
service, because these report several faults at once.
"""
