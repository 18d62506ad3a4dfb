"""All prompts: RARR's, and those of ALCE and HAGRID in this folder."""

import random
import re
from dataclasses import replace
from pathlib import Path

from pipeline.rarr import prompts as rarr
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.prompts import Prompts, Template

_OF_GENERATION = {
    "cited_answer": ("question", "passages"),
    "cited_list": ("question", "passages"),
    "uncited_answer": ("question",),
    "uncited_list": ("question",),
    "summary": ("question", "document"),
    "snippet": ("question", "document"),
    "interact": ("question", "passages", "turns"),
    "inline_search": ("question", "turns"),
    "hagrid_short": ("question", "passages"),
    "hagrid_long": ("question", "passages"),
    "sub_claims": ("question", "answer"),
}
PLACEHOLDERS: dict[str, tuple[str, ...]] = rarr.PLACEHOLDERS | _OF_GENERATION
"""The required placeholders of each prompt."""

LIGHT = {
    "cited_answer": "Answer the question from the passages, and cite them as in [1].",
    "cited_list": "List the answers to the question from the passages, and cite them as in [1].",
}
"""Short instructions (ALCE, appendix G.2)."""
_FOLDER = Path(__file__).parent


def load_prompts(folder: Path | None = None, *, is_chat: bool = True) -> Prompts:
    """Load the shipped prompts, replaced by files of the same name in a user's folder.

    Ignores hidden files and READMEs. Raises `BadConfig` for a missing folder, an unknown file name,
    a file that is not text, a missing placeholder or an unclosed system message.
    """
    user_texts = _user_texts(folder) if folder else {}
    templates = {}
    for name, placeholders in PLACEHOLDERS.items():
        shipped = _FOLDER if name in _OF_GENERATION else rarr.FOLDER
        content = user_texts[name] if name in user_texts else _read(shipped / f"{name}.txt")
        template = Template(name=name, content=content, placeholders=placeholders, is_chat=is_chat)
        file = f"{folder / name if folder else name}.txt"
        if missing := template.missing_placeholders():
            raise BadConfig(
                f"{file} has no {{{missing[0]}}}: write it where the {missing[0]} belongs."
            )
        if template.text.lstrip().startswith("<system>"):
            raise BadConfig(f"{file} has no </system>: write it where the system message ends.")
        templates[name] = template
    return Prompts(templates=templates)


def with_demonstrations(
    template: Template, *, most: int, seed: int, is_light: bool = False
) -> Template:
    """Return a prompt with at most so many of its demonstrations, drawn by `seed`, in their order.

    A demonstration begins as the question does, behind a blank line. `is_light` replaces the
    instruction by that of `LIGHT`, if there is one.
    """
    content = template.content
    label = content[: content.rfind("{question}")].rpartition("\n")[2]
    head, *parts = re.split(rf"(?:\A|(?<=\n\n))(?={re.escape(label)})", content)
    if not label.strip() or not parts:
        return template
    *demonstrations, last = parts
    count = min(most, len(demonstrations))
    chosen = sorted(random.Random(seed).sample(range(len(demonstrations)), count))  # noqa: S311
    if is_light and template.name in LIGHT:
        before, tag, _ = head.rpartition("</system>")
        head = f"{before}{tag}\n\n{LIGHT[template.name]}\n\n".lstrip("\n")
    return replace(
        template, content="".join([head, *(demonstrations[index] for index in chosen), last])
    )


def _user_texts(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise BadConfig(f"There is no folder {folder}: name one that holds prompts.")
    texts = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "README")):
            continue
        if path.suffix != ".txt" or path.stem not in PLACEHOLDERS:
            known = ", ".join(f"{name}.txt" for name in PLACEHOLDERS)
            raise BadConfig(f"{path} is no prompt's file: name it one of {known}.")
        texts[path.stem] = _read(path)
    return texts


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig").rstrip()
    except UnicodeDecodeError:
        raise BadConfig(f"{path} is not UTF-8 text: save it as UTF-8.") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadConfig(f"{path} cannot be read: {reason}.") from None
