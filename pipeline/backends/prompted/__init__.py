"""RARR's steps by few-shot prompting (appendix D), one file each.

Each sends all prompts in one `complete`, reads the replies (`pipeline.replies`), and asks once
more for unreadable ones (`repair`).
"""
