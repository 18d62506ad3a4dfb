"""Language models: each is a `Source` within an `AccountedModel`."""
