"""The RARR algorithm by sections of the paper; `ports` names the models that it needs."""
