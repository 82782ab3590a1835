"""The job queues: putting jobs on them, and checking what a worker takes from them."""
