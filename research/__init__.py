"""How the reader's weights are made: the whole recipe, from public data to a file of 23 MB.

Nothing here is imported by the product. `README.md` beside this file says how to run it.
"""
