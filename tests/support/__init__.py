"""What several tests use: factories, stub servers, stand-ins for models, real processes."""
