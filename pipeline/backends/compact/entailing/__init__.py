"""What speaks for and against a sentence being entailed by its evidence, and how it is weighed.

`covering` looks at words, numbers and names; `doubting` and `asking` at what the trained reader
says; `weighing` makes one calibrated probability of it all.
"""
