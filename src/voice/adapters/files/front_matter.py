"""The YAML block at the head of a Markdown note.

Law: every value is read as the text it was written as (nothing turns into a number or a date on the way), links inside
the YAML are refused (they can blow up a few bytes into gigabytes), and only known keys mean anything.
"""

import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Final, cast

import yaml

from voice.core.errors import InvalidParams
from voice.core.interchange.instants import parse_instant

_BLOCK: Final = re.compile(r"\A---[ \t]*\n(.*?)(?:\A|(?<=\n))(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MAX_CHARS: Final = 16 * 1024
"""PyYAML takes time with the square of the brackets it meets; this much takes a second or two at worst."""
_DATE_KEYS: Final = ("date", "created", "created_at")
_PRIVATE_KEYS: Final = ("private", "is_private")
_TEXT_KEYS: Final = ("title", "kind", "speaker", "thread")
_KNOWN: Final = frozenset({*_DATE_KEYS, *_PRIVATE_KEYS, *_TEXT_KEYS, "tags"})
_TRUE: Final = frozenset({"true", "yes", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "off", "0", ""})


class FrontMatter:
    """What a note says about itself."""

    def __init__(self, data: Mapping[str, object]) -> None:
        self._data = data

    def text(self, name: str) -> str | None:
        """Return a text, None where it is missing or empty."""
        value = self._data.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        if not isinstance(value, str) or "\x00" in value:
            raise InvalidParams(f"“{name}” in its front matter must be a text")
        return value.strip()

    def instant(self, zone: tzinfo) -> datetime | None:
        """Return when it was written, by its first date key."""
        for name in _DATE_KEYS:
            if (value := self.text(name)) is not None:
                try:
                    return parse_instant(value, zone, naive_is_local=True)
                except InvalidParams as error:
                    raise InvalidParams(f"“{name}” in its front matter {error.message}") from None
        return None

    def tags(self) -> tuple[str, ...]:
        """Return its tags: a list, or a text with commas; a leading # is not part of a tag."""
        return tuple(tag for text in self.texts("tags") if (tag := text.lstrip("#")))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts that are not blank: a list, or a text with commas."""
        value = self._data.get(name)
        parts: object = value.split(",") if isinstance(value, str) else value or []
        found = cast("list[object]", parts) if isinstance(parts, list) else [None]
        texts = [text.strip() for text in found if isinstance(text, str) and "\x00" not in text]
        if len(texts) < len(found):
            raise InvalidParams(f"“{name}” in its front matter must be a list of texts")
        return tuple(text for text in texts if text)

    def __contains__(self, name: str) -> bool:
        """Return whether the block has a key."""
        return name in self._data

    def is_private(self) -> bool:
        """Return whether it is private; a word that is neither yes nor no is a fault, for guessing could expose it."""
        for name in _PRIVATE_KEYS:
            word = (self.text(name) or "").lower()
            if word in _TRUE:
                return True
            if word not in _FALSE:
                raise InvalidParams(f"“{name}” in its front matter must be true or false")
        return False

    def unknown(self) -> tuple[str, ...]:
        """Return the keys that mean nothing to us."""
        return tuple(sorted(name[:40] for name in self._data if name not in _KNOWN))


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """Return a note's front matter and its body.

    Raises:
        InvalidParams: there is front matter, but it cannot be read.
    """
    found = _BLOCK.match(text)
    if found is None:
        return FrontMatter({}), text
    return FrontMatter(_load(found[1])), text[found.end() :]


def _load(source: str) -> dict[str, object]:
    if len(source) > _MAX_CHARS:
        raise InvalidParams("has front matter of more than 16 KiB; is it a note?")
    try:
        value: object = yaml.load(source, Loader=_TextLoader)  # noqa: S506 - builds texts, lists and maps only
    except (yaml.YAMLError, RecursionError, ValueError):
        raise InvalidParams("has front matter that is not valid YAML; repair it or take it out") from None
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise InvalidParams("has front matter that is no list of “key: value” lines")
    return {str(name): item for name, item in cast("dict[object, object]", value).items()}


class _TextLoader(yaml.BaseLoader):
    """Every scalar stays the text it was; a link to another part of the block is refused."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Refuse links, compose everything else as it is."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError
        return super().compose_node(parent, index)
