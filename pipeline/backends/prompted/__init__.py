"""The steps of RARR by few-shot prompting of a language model (appendix D): one file a step.

Each asks all that it wants to know in one `complete`, reads the replies as a person would
(`pipeline.replies`), and asks once more about each that it could not read (`repair`).
"""
