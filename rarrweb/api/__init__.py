"""Shared parts of the REST API: authentication, the base of views, the schema."""
