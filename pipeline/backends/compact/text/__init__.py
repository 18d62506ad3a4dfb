"""Words of a text, its check-worthy spans, and whether a value stands in it in another form."""
