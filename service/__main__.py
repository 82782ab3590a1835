"""Write the OpenAPI document to standard output: `python -m service > openapi.yaml`."""

import sys

from runtime.settings import Settings
from service.app import create_app
from service.openapi.document import document

NOWHERE = "redis://127.0.0.1:1"
NO_KEY = f"none:{'0' * 64}"

if __name__ == "__main__":
    app = create_app(Settings(NOWHERE, NOWHERE, NO_KEY, NO_KEY))
    sys.stdout.write(document(app))
