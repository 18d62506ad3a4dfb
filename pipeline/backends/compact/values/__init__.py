"""What revision and entailment both ask about a value: whether a text has it, in any form."""
