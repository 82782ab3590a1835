"""The background processes: the relay, which dispatches jobs, and the workers, which run them."""

import os

__all__: list[str] = []

# The built-in players multiply small matrices, and there is a worker for each core: threads of the linear
# algebra library would only compete for it. The library reads this variable when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
