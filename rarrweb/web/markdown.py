"""Markdown to HTML that is safe to show: parsed without raw HTML, then cleaned by nh3."""

import nh3
from markdown_it import MarkdownIt

TAGS = {
    "h2", "h3", "h4", "p", "ul", "ol", "li", "strong", "em", "code", "blockquote", "br", "hr",
}  # fmt: skip
"""What instructions are made of. No links and no pictures: one that is loaded from elsewhere
would tell its owner who judges, and when."""

_PARSER = MarkdownIt("commonmark", {"html": False, "breaks": False})


class CleanHtml(str):
    """HTML that `render` has cleaned; a template shows it as it is.

    Only `render` makes one: it is the one place where markup that is not a template's passes.
    """

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def render(text: str) -> CleanHtml:
    """`text`, which may be anybody's, as HTML of the few `TAGS`, without attributes.

    >>> str(render("One *piece* at a time."))
    '<p>One <em>piece</em> at a time.</p>\\n'
    """
    return CleanHtml(nh3.clean(_PARSER.render(text), tags=TAGS, attributes={}))
