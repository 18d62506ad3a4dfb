"""Datasets, corpora and uploads."""
