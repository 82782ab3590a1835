"""What happens behind the API: jobs that play the built-in seats, and the relay that hands them out."""

import os

__all__: list[str] = []

# The built-in players multiply small matrices, and every worker process has its own core: threads of the
# linear algebra library would only stand in each other's way. It reads this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
