"""Single passages that users try, each a run over a private dataset."""
