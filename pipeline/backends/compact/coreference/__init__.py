"""What pronouns and short forms stand for, and whom a sentence is about."""
