"""The background processes: the relay, which dispatches jobs, and the workers, which run them."""
