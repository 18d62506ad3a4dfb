"""Language models: servers and local models are a `Source`, which `AccountedModel` wraps."""
