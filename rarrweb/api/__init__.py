"""What the resources of the REST API have in common: who is let in, lists, errors, the schema."""
