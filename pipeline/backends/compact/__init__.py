"""RARR's components by rules and a small reader, on a CPU, without a language model."""
