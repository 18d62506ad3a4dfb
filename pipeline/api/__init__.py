"""The machine's work over the REST API: a file a resource."""
