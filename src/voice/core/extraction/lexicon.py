"""Words that tell what a name stands for, and words that are never names.

Law: a table only ever names a kind; whether a stretch is a name at all is decided in its sentence. No table holds what
belongs to one person's life. Everything is folded (`fold_word`), and stands in `voice/data/language/entity_words.toml`.

Source: ruling F.1 ("capitalised stop words, list markers and fragments never become entities").
"""

from typing import Final

from voice.core.text.language_data import entries
from voice.core.text.word_lists import MEN, STOPWORDS, WOMEN

_WORDS: Final = "entity_words"

MORE_WOMEN: Final = entries(_WORDS, "women")
MORE_MEN: Final = entries(_WORDS, "men")
PERSON_NAMES: Final = WOMEN | MEN | MORE_WOMEN | MORE_MEN
FEMALE: Final = WOMEN | MORE_WOMEN
MALE: Final = MEN | MORE_MEN
ALSO_WORDS: Final = entries(_WORDS, "also_words")
"""First names that are words or places, too: as the first word of a sentence they count only before a deed."""

KIN: Final = entries(_WORDS, "kin")
TITLES: Final = entries(_WORDS, "titles")

SEASONS: Final = entries(_WORDS, "seasons")
"""Surnames, too: "Marta Sommer"."""

_CALENDAR = entries(_WORDS, "calendar")
_SPEECH = entries(_WORDS, "speech")
_JOTTINGS = entries(_WORDS, "jottings")
NEVER: Final = _CALENDAR | SEASONS | _SPEECH | _JOTTINGS | frozenset[str]().union(*STOPWORDS.values())
"""Words that alone are no name of a thing, however they are written."""

PLACES: Final = entries(_WORDS, "places")
TOOLS: Final = entries(_WORDS, "tools")
LOWER_TOOLS: Final = entries(_WORDS, "lower_tools")
"""Tools that are often written small and are no other word."""
COMPANIES: Final = entries(_WORDS, "companies")
ORG_SUFFIX: Final = entries(_WORDS, "org_suffix")
ORG_PREFIX: Final = entries(_WORDS, "org_prefix")
WEAK_SUFFIX: Final = entries(_WORDS, "weak_suffix")
"""They make a name of an organisation only with a word that is not everyday language, or three words and more."""
PLACE_SUFFIX: Final = entries(_WORDS, "place_suffix")
PLACE_PREFIX: Final = entries(_WORDS, "place_prefix")
EVENT_SUFFIX: Final = entries(_WORDS, "event_suffix")
PROJECT_WORD: Final = entries(_WORDS, "project_word")
ALONE_KIN: Final = entries(_WORDS, "alone_kin")
"""Kin called by it as by a name."""
KIN_WORDS: Final = entries(_WORDS, "kin_words")
ROLES: Final = entries(_WORDS, "roles")
METHOD: Final = entries(_WORDS, "method")
