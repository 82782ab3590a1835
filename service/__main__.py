"""Write a document to standard output: `python -m service > openapi.yaml`, or `python -m service asyncapi >
asyncapi.yaml`.
"""

import sys

from runtime.settings import Settings
from service.app import create_app
from service.asyncapi import document as asyncapi
from service.openapi import document as openapi

NOWHERE = "redis://127.0.0.1:1"
NO_KEY = f"none:{'0' * 64}"

if __name__ == "__main__":
    app = create_app(Settings(NOWHERE, NOWHERE, NO_KEY, NO_KEY))
    chosen = asyncapi if sys.argv[1:] == ["asyncapi"] else openapi
    sys.stdout.write(chosen.document(app))
