"""One-word verdicts in replies: behind a label, alone, or in a sentence."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pipeline.rarr.errors import UnreadableReply
from pipeline.replies.labels import labelled_parts
from pipeline.replies.markup import RULE, split_at_rules, without_markup

LABEL = (
    r"(?:my )?(?:verdict|judge?ment|conclusion|decision|assessment|classification|answer|label"
    r"|result|relation(?:ship)?)|therefore"
)
MAX_DISPLAYED = 80
"""Characters of a verdict in an error."""
MAX_QUALIFIER = 30
"""Characters after a verdict for a second one or a qualification."""

_SUBJECT = (
    r"(?:(?:so|thus|hence|therefore|overall|in conclusion|sure|okay|that|and|then)\b[^\w\n]{1,3})*"
    r"(?:(?:this|it|they|both|(?:the )?(?:verdict|evidence|passage|article|source|two|answers?"
    r"|sentence"
    r"|claim|statement|label|result))\b[ \t]+)?"
    r"(?:(?:is|are|that|would be|:|clearly|directly|fully|strongly|therefore|thus|both|in"
    r"|completely)\b[ \t]*:?[ \t]*){0,3}"
)
_HEDGE = re.compile(
    r"\b(?:part(?:ly|ially)?|mostly|largely|somewhat|possibly|probably|perhaps|maybe|might|may"
    r"|likely"
    r"|unclear|unsure|uncertain|not sure|to some extent|weakly|mixed|whether|cannot|can['’]t)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:neither|whether|nor|not|without|no|nothing|cannot|can['’]t|doesn['’]t|don['’]t"
    r"|if)\b[^.;\n]{0,40}",
    re.IGNORECASE,
)
_RETRACTION = (
    r"(?:actually|wait|instead|rather|correction|on (?:second thought|reflection)|i mean)\b"
    r"[^.\n]{0,40}?"
)
_SENTENCE_BREAK = re.compile(r"(?<=[.!?])[\"”')\]*_]{0,3}\s+|\n+")


@dataclass(frozen=True, kw_only=True)
class Verdicts:
    words: Mapping[str, str]
    """Patterns by verdict; the first that matches counts."""
    compatible: frozenset[frozenset[str]] = frozenset()
    """Pairs that one reply may contain: the first counts."""
    named: str
    """The verdicts in words, for errors."""

    @cached_property
    def _word(self) -> str:
        return "|".join(f"(?P<{verdict}>{words})" for verdict, words in self.words.items())

    @cached_property
    def _leading(self) -> re.Pattern[str]:
        yes_or_no = "" if "yes" in self.words else r"(?:(?:yes|no)\b[^\w\n]{1,3})?"
        return re.compile(
            rf"[^\w\n]{{0,12}}{yes_or_no}{_SUBJECT}[^\w\n]{{0,4}}(?:{self._word})(?!\w)",
            re.IGNORECASE,
        )

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{self._word})\b", re.IGNORECASE)

    @cached_property
    def _stated(self) -> re.Pattern[str]:
        named, revised = (
            self._word.replace("?P<", f"?P<{prefix}") for prefix in ("named_", "revised_")
        )
        return re.compile(
            rf"\b(?:(?:evidence|it|this|passage|verdict)[ \t](?:\w+[ \t]){{0,2}}?(?:{self._word})"
            r"(?=[ \t]+(?:with|to|it\b|what"
            r"|(?:the )?(?:sentence|claim|statement|passage|evidence)))"
            r"|(?:verdict|conclusion|answer|label|result)[ \t](?:is|would be)[ \t:\"“'*]{0,4}"
            rf"(?:{named})\b|{_RETRACTION}\b(?:{revised})\b)",
            re.IGNORECASE,
        )

    def read(self, text: str, strict: Mapping[str, str] | None = None) -> str:
        """Return the verdict of a clean reply; raises `UnreadableReply` for none or several."""
        text = without_markup(
            RULE.sub("---", text)
        )  # "json" of a code fence is no word of the reply
        parts = labelled_parts(text, {"verdict": LABEL}, strict)
        values = [split_at_rules(part) for name, part in parts if name == "verdict"]
        if values:
            verdicts = [each for value in values if value for each in self._labelled(value[0])]
            if not verdicts:
                raise UnreadableReply(f"The verdict is '', not {self.named}.")
            rest = parts[0][1]
        else:
            verdicts = [
                each
                for line in _SENTENCE_BREAK.split(text)
                for each in self._leading_in(line) or self._in_prose(line)
            ]
            rest = ""
        verdicts += [
            verdict for line in _SENTENCE_BREAK.split(rest) for verdict in self._in_prose(line)
        ]
        if not verdicts:
            raise UnreadableReply(f'There is no line "Verdict: …" with {self.named} in the reply.')
        others = {each for each in verdicts if each != verdicts[0]}
        if any(frozenset((verdicts[0], each)) not in self.compatible for each in others):
            listed = " and ".join(sorted({verdicts[0], *others}))
            raise UnreadableReply(f"The reply has more than one verdict: {listed}.")
        return verdicts[0]

    def _labelled(self, value: str) -> list[str]:
        first, *rest = [line for line in value.split("\n") if line.strip()]
        verdicts = self._leading_in(first)
        if not verdicts:
            raise self._unreadable(first)
        return [*verdicts, *(each for line in rest for each in self._in_prose(line))]

    def _leading_in(self, line: str) -> list[str]:
        """Return the verdict that begins a line and those after it, or []."""
        leading = self._leading.match(line)
        if leading is None:
            return []
        if _HEDGE.search(line[: leading.end() + MAX_QUALIFIER]):
            raise self._unreadable(line)
        rest = line[leading.end() :]
        near = _NEGATED.sub(" ", rest)[:MAX_QUALIFIER]
        others = [str(each.lastgroup) for each in self._any.finditer(near)]
        return [str(leading.lastgroup), *others, *self._in_prose(rest)]

    def _unreadable(self, line: str) -> UnreadableReply:
        return UnreadableReply(
            f"The verdict is {line[:MAX_DISPLAYED].strip()!r}, not {self.named}."
        )

    def _in_prose(self, line: str) -> list[str]:
        if _HEDGE.search(line):
            return []
        bare = self._leading.match(line)
        if bare and not line[bare.end() :].strip(" .*_!"):
            return [str(bare.lastgroup)]
        return [
            str(each.lastgroup).removeprefix("revised_").removeprefix("named_")
            for each in self._stated.finditer(_NEGATED.sub(" ", line))
        ]
