"""A small trained encoder that reads evidence once and judges many sentences and questions by it.

Trained by `research/`; what it is worth stands in the model card.
"""
