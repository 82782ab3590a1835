"""The contract of the API: endpoints, their schemas' vocabulary, and `openapi.yaml` written from them."""
