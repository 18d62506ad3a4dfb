"""Corpora in OpenSearch."""
