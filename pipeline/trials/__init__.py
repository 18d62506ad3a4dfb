"""Single passages that users try: each is a run over a dataset of its own, which only they see."""
