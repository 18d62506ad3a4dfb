"""What a page shows."""

from django.test import Client


def shown(client: Client, path: str) -> str:
    """The page's HTML."""
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()
