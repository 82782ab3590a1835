"""Streams and long polls: waiting clients, and the web worker that holds their connections."""
