"""Language models: each is a `ModelBackend` within an `AccountedModel`."""
