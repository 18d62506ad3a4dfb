"""Pages whose address is a secret, as that of an invitation."""

from django.http import HttpResponse


def keep_address_secret(response: HttpResponse) -> HttpResponse:
    """Let no other page, ours included, learn the address of this one from `Referer`.

    Not by "no-referrer": with that a browser sends `Origin: null` with the page's own form,
    and the CSRF check rightly refuses it.
    """
    response["Referrer-Policy"] = "strict-origin"
    return response
