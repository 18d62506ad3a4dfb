"""Corpora in OpenSearch: the same documents, words and order as in the index on the disk."""
