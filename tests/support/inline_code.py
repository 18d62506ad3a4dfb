"""Finds inline code and styles, and resources of other sites."""

import re

EVENT_HANDLER = re.compile(r"<[^>]*\s(on[a-z]+|hx-on[:\w-]*|style)\s*=", re.IGNORECASE)
INLINE_CODE = re.compile(r"<style\b|<script\b(?![^>]*\bsrc=)|javascript:", re.IGNORECASE)
DATA_BLOCK = re.compile(r'<script\b[^>]*type="application/json"[^>]*>', re.IGNORECASE)
REMOTE = re.compile(
    r"<(?:script|link|img|iframe|audio|video|source|object|embed)\b[^>]*"
    r"(?:src|href|data)=[\"']?(?:https?:)?//",
    re.IGNORECASE,
)


def assert_nothing_inline(html: str, where: str = "") -> None:
    # What json_script writes is data: a browser never runs it.
    html = DATA_BLOCK.sub("", html)
    for pattern in (EVENT_HANDLER, INLINE_CODE, REMOTE):
        assert not pattern.search(html), (pattern.search(html), where)
