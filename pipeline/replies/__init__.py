"""Reading replies of language models: cleaning, labels, lists and remarks about the answer.

Every pattern is bounded, so that the work is linear in the length of the reply.
"""
