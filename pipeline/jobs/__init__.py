"""Work that a worker claims: leases on rows and the one way to the queue."""
