"""Web research: the guarded client, robots.txt, pages, search engines."""
