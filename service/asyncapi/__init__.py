"""The AsyncAPI document of streams and webhooks, written from the same declarations as `openapi.yaml`."""
