"""Infrastructure of all processes: settings, connections, metrics, heartbeats and the names of the queues."""
