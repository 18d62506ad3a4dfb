"""What the resources of the REST API share: who is let in, the base of views, the schema."""
