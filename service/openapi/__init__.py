"""Endpoints, the field types of their schemas, and the generation of `openapi.yaml`."""
