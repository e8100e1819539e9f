"""What an utterance asks for: small talk, or the form of an answer and its topic words.

Law: closed tables of words per language (`data/language/forms.toml`), matched word for word at the place where such
words stand, and the shape of what follows; no grammar. What is in no table asks for a fact. How a question is answered
never decides whether it is.

A word that only asks, that names the notes themselves, or that announces a number has no weight; of the others, rarer
words weigh more.

An utterance is small talk only if all of it consists of phrases from a closed table (`data/language/small_talk.toml`).
It asks nothing of the memory, and the reply claims nothing about it.

Source: DESIGN 5; rulings D5 ("no grammar"), E ("neither asked for in the text nor missed in it").
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import dropwhile, takewhile
from typing import Final, Literal, NamedTuple, cast

from voice.core.text.language_data import Table, every_word, language_tables, listed_words, word_pairs, word_weight
from voice.core.text.numbers import quantities
from voice.core.text.words import Word, stems_in, words

FormKind = Literal["fact", "list", "count", "times", "yes_no", "comparison", "choice", "about", "digest", "several"]
_LONGEST: Final = 400  # characters of a question that are read for its form
_SIDE: Final = 3  # words of a thing that is one of two to be chosen from
_NEAR: Final = 4  # so many words behind "which" the plural of what is listed stands
_ASKS: Final = 3  # words behind ", and" in which the next question begins
_LEAST_NAME: Final = 3  # letters of what may be the name of a month: "my May"
_FIRST: Final = (0, 1)  # where "which" stands: first, or behind one word of no topic ("in which", "and which")
_LEAST_PLURAL: Final = 4  # letters of a word that is taken for a plural
Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerForm:
    """The form of answer that a question asks for."""

    kind: FormKind = "fact"
    subjects: tuple[str, ...] = ()
    """What to count, or the topic; for a comparison both sides, in the question's words."""
    questions: tuple[str, ...] = ()
    """For a comparison: the question about each side; for several questions that are asked at once: each of them."""


FACT: Final = AnswerForm()


def form_of(question: str, *, is_timed: bool) -> AnswerForm:
    """Return the form of answer that a question asks for; earlier ones it refers to may follow on further lines."""
    text = question.partition("\n")[0][:_LONGEST]
    found = words(text)
    if not found:
        return FACT
    if is_timed and _asks_for_all(found):  # "What happened?" is answered by a digest only of a time
        return AnswerForm(kind="digest")
    # The first that fits counts: "about A or B" leaves no choice, and "how many, A or B" leaves one.
    forms = (_comparison, _several, _about, _choice, _counted)
    if (form := next(filter(None, (each(text, found) for each in forms)), None)) is not None:
        return form
    tables = language_tables("forms").values()
    if any(_place(found, phrase) == 0 for phrase in _phrases("list")) or any(
        _has_plural(found, each) for each in tables
    ):
        return AnswerForm(kind="list")
    return AnswerForm(kind="yes_no") if found[0].key in every_word("forms", "yes_no") else FACT


def times_meant(question: str) -> tuple[str, ...]:
    """Return the words that may name the time of a digest, if the question names no time elsewhere.

    "My week" is the last seven days, "lately" the last fourteen; "Summarise May" asks for May. Empty if a question
    asks for anything else. The caller checks which of them is a time; the first that is one counts.
    """
    text = question[:_LONGEST]
    found = words(text)
    for phrase, time in _times().items():
        at = _place(found, phrase)
        if at is not None and _asks_for_all([*found[:at], *found[at + len(phrase) :]]):
            return (time,)
    rest = [word for word in found if word.key not in every_word("forms", "told")]
    if not rest or len(rest) == len(found):  # nothing asks to tell, or nothing is left for a time
        return ()
    topic = [word for word in rest if not word.is_stop] or rest
    # Small words may belong to a time or not: all, those of a topic, and those with a capital are tried.
    named = [word for word in rest if word.is_capital and len(word.key) >= _LEAST_NAME] or rest
    return tuple(dict.fromkeys(text[part[0].start : part[-1].end] for part in (rest, topic, named)))


def _asks_for_all(found: Sequence[Word]) -> bool:
    """Return whether words ask for nothing but what was told."""
    digest, others = every_word("forms", "told"), every_word("forms", "apart")
    return any(word.key in digest for word in found) and all(
        word.key in digest or (word.is_stop and word.key not in others) for word in found
    )


def _about(text: str, found: Sequence[Word]) -> AnswerForm | None:
    for phrase in _phrases("about"):
        at = _place(found, phrase)
        if at is not None and all(
            word.is_stop or word.key in every_word("forms", "list", "told") for word in found[:at]
        ):
            rest = found[at + len(phrase) :]
            if any(not word.is_stop for word in rest):
                return AnswerForm(kind="about", subjects=(text[rest[0].start : rest[-1].end],))
    return None


def _several(text: str, found: Sequence[Word]) -> AnswerForm | None:
    """Return the form of two questions that are asked at once: "…, and where …?"."""
    if len(text) == _LONGEST:  # the second may go on
        return None
    for at, word in enumerate(found[:-1]):
        rest = found[at + 1 :]
        is_joint = (word.key,) in _phrases("joint") and text[: word.start].rstrip().endswith(",")
        # "Where, and when, …" asks of one thing; "the man who came, and who left, …" tells more of one.
        if not is_joint or all(each.is_stop for each in found[:at]) or "," in text[word.end :]:
            continue
        if any(_place(rest[:_ASKS], phrase) in _FIRST for phrase in _phrases("asks")):
            parts = f"{text[: word.start].rstrip(' ,')}?", text[rest[0].start :]
            return AnswerForm(kind="several", questions=parts)
    return None


def _comparison(text: str, found: Sequence[Word]) -> AnswerForm | None:
    for opening, joint in _comparison_phrases():
        at = _place(found, opening)
        between = None if at is None else _place(found[at + len(opening) :], joint)
        if at is None or not between:  # nothing to compare before the joint
            continue
        left = found[at + len(opening) :][:between]
        right = found[at + len(opening) + between + len(joint) :]
        if right:
            sides = tuple(text[side[0].start : side[-1].end] for side in (left, right))
            return AnswerForm(kind="comparison", subjects=sides, questions=sides)
    return None


def _choice(text: str, found: Sequence[Word]) -> AnswerForm | None:
    """Return the form of a question that leaves a choice between two things."""
    for at, word in enumerate(found):
        if word.key not in every_word("forms", "between"):
            continue
        right = _run(text, list(dropwhile(lambda each: each.is_stop, found[at + 1 :])))
        left = _run(text, found[:at][::-1])[: len(right)][::-1]  # read backwards from "or"; both sides equally long
        right = right[: len(left)]
        if left and text[left[-1].end : word.start].isspace():
            sides = tuple(text[side[0].start : side[-1].end] for side in (left, right))
            # "Is the kiln red or blue?" asks "Is the kiln red?" and "Is the kiln blue?".
            asked = tuple(f"{text[: left[0].start]}{side}{text[right[-1].end :]}" for side in sides)
            return AnswerForm(kind="choice", subjects=sides, questions=asked)
    return None


def _run(text: str, found: Sequence[Word]) -> list[Word]:
    """Return the words of a topic that follow one another, in the direction in which they are given."""
    run: list[Word] = []
    for word in takewhile(lambda each: not (each.is_stop or each.is_number), found[:_SIDE]):
        if run and text[min(run[-1].end, word.end) : max(run[-1].start, word.start)].strip():
            break
        run.append(word)
    return run


def _counted(text: str, found: Sequence[Word]) -> AnswerForm | None:
    """Return the form of a question for a number of times, or of things."""
    for phrase in _phrases("times"):
        if (at := _place(found, phrase)) is not None:
            rest = [word for word in (*found[:at], *found[at + len(phrase) :]) if not word.is_stop]
            return AnswerForm(kind="times", subjects=tuple(word.text for word in rest))
    for phrase in _phrases("count"):
        if (at := _place(found, phrase)) is not None:
            behind = list(dropwhile(lambda each: each.is_stop, found[at + len(phrase) :]))
            if noun := _run(text, behind):
                return AnswerForm(kind="count", subjects=(text[noun[0].start : noun[-1].end],))
    return None


def _has_plural(found: Sequence[Word], table: Table) -> bool:
    """Return whether a plural follows "which" closely, or "what" with a word like "did" behind it."""
    openings = ((phrase, _place(found, phrase)) for phrase in _listed_phrases(table, "which", "what"))
    opening, at = next((each for each in openings if each[1] in _FIRST), ((), None))
    if at is None or not all(word.is_stop for word in found[:at]):
        return False
    rest = found[at + len(opening) :]
    verbs = every_word("forms", "yes_no")
    noun = list(takewhile(lambda word: word.key not in verbs, rest[:_NEAR]))
    is_asked = opening in _listed_phrases(table, "which") or any(word.key in verbs for word in rest[len(noun) :][:1])
    ends, others = (tuple(each) for each in cast("list[list[str]]", table["plural"]))
    return is_asked and any(
        len(word.key) >= _LEAST_PLURAL and word.key.endswith(ends) and not word.key.endswith(others) for word in noun
    )


def _listed_phrases(table: Table, *names: str) -> list[Phrase]:
    return [_keys(phrase) for name in names for phrase in sorted(listed_words(table, name))]


def asks_for_many(question: str) -> bool:
    """Return whether a question asks for more than one thing."""
    return any(word.key in every_word("forms", "many") for word in words(question))


def asks_openly(question: str) -> bool:
    """Return whether a question asks for a reason, a way or an opinion, which may take several sentences."""
    found = words(question)
    is_short = any(_place(found, phrase) in _FIRST for phrase in _phrases("short"))
    return not is_short and any(_place(found, phrase) is not None for phrase in _phrases("open"))


def asks_who(question: str) -> bool:
    """Return whether a question asks for a person."""
    found = words(question)
    return any(_place(found, phrase) in _FIRST for phrase in _phrases("who"))


def is_answered_shortly(question: str) -> bool:
    """Return whether one sentence answers a question ("Who …?", "Where …?"): what follows in its note adds nothing."""
    found = words(question)
    opens = any(_place(found, phrase) in _FIRST for phrase in _phrases("short"))
    return opens or (bool(found) and found[0].key in every_word("forms", "yes_no"))


def says_how_often(text: str) -> bool:
    """Return whether a text says how often something happened: "twelve times"."""
    often = frozenset(stem for key in every_word("forms", "often") for stem in stems_in(key))
    return any(each.head in often for each in quantities(text) if not each.is_time)


def asks_for_a_form(word: Word) -> bool:
    """Return whether a word of a question belongs to the form of answer, not to the topic."""
    is_of_short = any(word.key in phrase for phrase in _phrases("short"))
    return is_of_short or word.key in every_word("forms", "list", "many", "told")


def _place(found: Sequence[Word], phrase: Phrase) -> int | None:
    """Return where a phrase begins among words; None if they do not contain it."""
    keys = tuple(word.key for word in found)
    starts = (at for at in range(len(keys) - len(phrase) + 1) if keys[at : at + len(phrase)] == phrase)
    return next(starts, None)


def _keys(phrase: str) -> Phrase:
    return tuple(word.key for word in words(phrase))


@cache
def _phrases(name: str) -> tuple[Phrase, ...]:
    """Return the phrases of every language's list, the longest first."""
    every = {_keys(phrase) for table in language_tables("forms").values() for phrase in listed_words(table, name)}
    return tuple(sorted(every, key=lambda phrase: (-len(phrase), phrase)))


@cache
def _comparison_phrases() -> tuple[tuple[Phrase, Phrase], ...]:
    """Return the opening and the joint of each kind of comparison ("compare …", "with …")."""
    tables = language_tables("forms").values()
    pairs = [pair for table in tables for pair in cast("list[list[str]]", table.get("opens", []))]
    return tuple((_keys(opening), _keys(joint)) for opening, joint in pairs)


@cache
def _times() -> dict[Phrase, str]:
    tables = [word_pairs(table, "time") for table in language_tables("forms").values()]
    return {_keys(phrase): time for table in tables for phrase, time in table.items()}


def term_weights(question: str) -> dict[str, float]:
    """Return the weight of each topic word of a question, by its stem."""
    found = words(question)
    silent = every_word("questions", "asking", "rows")
    if any(word.is_number for word in found):
        silent |= every_word("identifiers", "marks")  # "no." of "room no. 4"
    topic = (word.stem for word in found if not (word.is_stop or word.is_number or word.key in silent))
    return {stem: word_weight(stem) for stem in topic}


_LONGEST_SMALL_TALK: Final = 160  # characters; what is longer says more
_NOD: Final = "nod"


class _Phrase(NamedTuple):
    """The reply to a phrase of the table."""

    kind: str
    reply: str


def small_talk_reply(utterance: str) -> str | None:
    """Return the reply to small talk; None if an utterance is anything else.

    If it has several phrases, the last one that is more than a nod decides.
    """
    if len(utterance) > _LONGEST_SMALL_TALK:
        return None
    rest = tuple(word.key for word in words(utterance))
    found: list[_Phrase] = []
    while rest:
        # The longest phrase first: what a shorter one leaves over may be in no phrase.
        length = next((count for count in range(len(rest), 0, -1) if rest[:count] in _small_talk_phrases()), None)
        if length is None:
            return None
        found.append(_small_talk_phrases()[rest[:length]])
        rest = rest[length:]
    replies = [phrase.reply for phrase in found if phrase.kind != _NOD] or [phrase.reply for phrase in found]
    return replies[-1] if replies else None


@cache
def _small_talk_phrases() -> Mapping[tuple[str, ...], _Phrase]:
    """Return the table's phrases by their words; of one in two languages the first."""
    found: dict[tuple[str, ...], _Phrase] = {}
    for kinds in language_tables("small_talk").values():
        for kind, table in cast("Mapping[str, Mapping[str, object]]", kinds).items():
            phrase = _Phrase(kind, str(table["reply"]))
            for said in sorted(listed_words(table, "said")):
                found.setdefault(tuple(word.key for word in words(said)), phrase)
    return found
