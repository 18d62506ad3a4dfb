"""Help: the documents of docs/ as pages."""
