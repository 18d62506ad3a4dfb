"""Datasets and corpora, and the uploads that fill them."""
