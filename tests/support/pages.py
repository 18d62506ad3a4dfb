"""Content of pages."""

import re
from typing import Any

from django.test import Client
from django.urls import reverse


def url_of(name: str, *args: object) -> str:
    return reverse(f"pipeline:{name}", args=args)


def html_of(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def page_of(client: Client, row: Any, query: str = "") -> str:
    return html_of(client, row.get_absolute_url() + query)


def text_of(html: str) -> str:
    """Return the text without tags, with single spaces."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).replace("&nbsp;", " ").split())
