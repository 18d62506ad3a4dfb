"""Language models behind `pipeline.language_model.LanguageModel`: prompts in, completions out.

A `Source` (a server, a local model) answers prompts and nothing more; `AccountedModel` stands
before it and sees to what all have in common: kept answers, the budget, the log of calls.
"""
