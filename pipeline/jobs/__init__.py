"""Leases on rows, and the queue."""
