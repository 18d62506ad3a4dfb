"""Entailment by words and the reader."""
