"""What a page shows."""

import re
from typing import Any

from django.test import Client


def shown(client: Client, path: str) -> str:
    """The page's HTML."""
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def page_of(client: Client, row: Any, query: str = "") -> str:
    """The HTML of a row's own page."""
    return shown(client, row.get_absolute_url() + query)


def text_of(html: str) -> str:
    """What a person reads: no tags, one space between words."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).replace("&nbsp;", " ").split())
