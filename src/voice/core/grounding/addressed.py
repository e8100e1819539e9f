"""A note of the one who asks, told back to them: "my landlord" of the note is "your landlord" of the answer.

Law: an answer that says "you" repeats a note that says "I" as nearly as one that says "I". The words of the speaker and
of the one spoken to, and the verb forms that go with them, are one and the same when the two are laid side by side;
nothing else is. In German a verb's ending goes with its person ("wohne", "wohnst", "wohnen"), its tense does not.

Source: DESIGN 6 stage 4; ruling D1.
"""

from collections.abc import Sequence

from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key

_ENDINGS = ("", "e", "en", "em", "er", "es")
_MINE = frozenset(f"mein{ending}" for ending in _ENDINGS)
_YOURS = frozenset(f"{owner}{ending}" for owner in ("dein", "ihr") for ending in _ENDINGS)
_SPEAKER = word_set("i i'm i've i'd i'll im ive me my mine myself ich mich mir") | _MINE
_SPOKEN_TO = word_set("you you're you've you'd you'll youre your yours yourself du dich dir ihnen sie") | _YOURS
_GERMAN = word_set("ich mich mir du dich dir") | _MINE | _YOURS


def _folded(listed: str) -> frozenset[str]:
    return frozenset(map(fold_key, listed.split()))


_CHINESE = str.maketrans({"你": "我", "您": "我"})
_SIDES = (
    (_SPEAKER, _SPOKEN_TO),
    (frozenset("我咱俺"), frozenset("你您")),
    (_folded("εγώ μου μας είμαι έχω"), _folded("εσύ σου σας είσαι έχεις")),
)
"""What speakers call themselves, and those whom they speak to."""
_SAME = {
    form: group.split()[0]
    for group in (
        "i me you ich mich mir du dich dir sie ihnen",
        "my your",
        "mine yours",
        "myself yourself",
        "i'm im you're youre",
        "i've ive you've",
        "i'd you'd",
        "i'll you'll",
        "am are bin bist sind",
        "was were",
        "habe hab hast haben",
        "werde wirst werden",
        "will willst wollen",
        "kann kannst können",
        "muss musst müssen",
        "我 咱 俺 你 您",
        "εγώ εσύ",
        "μου σου",
        "μας σας",
        "είμαι είσαι",
        "έχω έχεις",
    )
    for word in group.split()
    for form in (word.casefold(), fold_key(word))
}
"""Words that differ by who speaks to whom alone, each by the first of its line."""
_OWNED = late_pattern(r"(?:mein|dein|ihr)(?P<ending>|e|en|em|er|es)")
_PERSON = late_pattern(r"(?<=^\p{Ll}{3,})(?:est|st|e|en)$")


def is_told_back(claim: Sequence[Word], source: Sequence[Word]) -> bool:
    """Return whether a claim speaks to somebody and a source speaks of itself."""
    ours, theirs = ({word.key for word in side} for side in (claim, source))
    return any(ours & yours and theirs & mine for mine, yours in _SIDES)


def told_alike(spellings: Sequence[str], found: Sequence[Word], *, is_german: bool) -> list[str]:
    """Return spellings in which the speaker and the one spoken to are one, with their verb forms.

    Args:
        spellings: how each word is compared otherwise.
        found: the words themselves.
        is_german: whether the ending of a verb goes with its person.
    """
    return [
        _alike(spelling, may_be_a_verb=is_german and not word.is_capital)
        for spelling, word in zip(spellings, found, strict=True)
    ]


def as_the_speaker(stem: str) -> str:
    """Return a pair of characters as the one spoken to would say it: 你的, 您的 as 我的."""
    return stem.translate(_CHINESE)


def is_german(claim: Sequence[Word], source: Sequence[Word]) -> bool:
    """Return whether one of the two speaks of its speaker, or to somebody, in German."""
    return any(word.key in _GERMAN for side in (claim, source) for word in side)


def _alike(spelling: str, *, may_be_a_verb: bool) -> str:
    if owned := _OWNED.fullmatch(spelling):
        return f"mein{owned['ending']}"
    alike = _SAME.get(spelling)
    return alike or (_PERSON.sub("", spelling) if may_be_a_verb else spelling)
