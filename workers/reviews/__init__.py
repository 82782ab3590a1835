"""Reviews of matches: putting them on the queue, and computing them."""
