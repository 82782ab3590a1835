"""Notifications of accounts: the inbox as pages and streams, webhooks, and their deliveries."""
