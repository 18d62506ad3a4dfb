"""RARR as the paper describes it."""

from pipeline.rarr.loop import revise

__all__ = ["revise"]
