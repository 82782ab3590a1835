"""Operating the workers: start and end of processes, metrics, and the checks that run in the background."""
