"""What the API answers, declared once.

One Struct stands for each object of an answer, with what is said of it and of its members. The service
encodes it, `openapi.yaml` is written from it, and the client decodes what it gets into it. Requests are
marshmallow schemas of the service, which name several faults at once.
"""
