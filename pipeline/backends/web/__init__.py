"""The web: the guarded client, robots.txt, pages as documents, search engines' results."""
