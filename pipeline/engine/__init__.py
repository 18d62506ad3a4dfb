"""A configuration, and the engine that it describes."""
