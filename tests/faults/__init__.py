"""Faults: the product's own processes are killed, frozen and starved while people and workers are
at work. A command, not tests: see `python -m tests.faults --help`."""
