"""What every process shares: settings, connections, metrics, heartbeats and the names of the queues."""
