"""The RARR algorithm by sections of the paper; `ports` names the models that it needs.

Letters in docstrings are the paper's: x the passage, y its current text, q a query, e a snippet of
evidence, A the report; J, K and M are fields of `configuration.RarrConfig`.
"""
