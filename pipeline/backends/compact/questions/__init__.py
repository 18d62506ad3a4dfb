"""One question for each check-worthy span, as a person would type it."""
