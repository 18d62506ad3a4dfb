"""Reading replies of language models.

Every pattern is bounded, so that the work is linear in a reply's length.
"""
