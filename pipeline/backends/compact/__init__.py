"""RARR's steps by rule, on a CPU, without any model: what the product does before a key is set."""
