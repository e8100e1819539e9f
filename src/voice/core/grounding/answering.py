"""Whether an answer answers: it says something new, of what the question asks about, of the kind it asks for.

Law: what is true to its source is no answer by that alone (ruling D5). The sentences that bear the answer out, with
the answer's own words, must hold what the question tells (`inquiry`): a short question's words each matter, a long one
tells a story before it asks. The answer must say more than the question said, must bring the kind of thing that is
asked for ("how many", "who"), must say what somebody wanted where that is asked, and must not have two people the
other way round. Where that is not certain nothing is decided: what else is wrong with an answer is for the judge.

Source: ruling D5 ("relevance to the question is part of the verdict"); DESIGN 6.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

import regex

from voice.core.grounding.asked import ASKING, PLACE_LEAD, AskedKind, asked_kinds, asked_measure, says
from voice.core.grounding.choices import names_the_chosen
from voice.core.grounding.claims import Judged
from voice.core.grounding.deeds import asked_deed, lacking_deed
from voice.core.grounding.fit import worth_beside
from voice.core.grounding.inquiry import LIGHT, Inquiry
from voice.core.grounding.listed import listed_in
from voice.core.grounding.opposed import NOTHING
from voice.core.grounding.passages import Passage, all_passages
from voice.core.grounding.preambles import opens_with_no
from voice.core.grounding.relevance import is_relevant, speaks_to_claim
from voice.core.grounding.spoken_of import OWNER, speaker_key
from voice.core.grounding.support import credit_of
from voice.core.grounding.values import Evidence, Stance
from voice.core.grounding.who import asked_names, is_turned_around
from voice.core.text.background import weight_of
from voice.core.text.dates import weekdays
from voice.core.text.numbers import quantities
from voice.core.text.patterns import late_pattern
from voice.core.text.stems import stem_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_HELD = 0.5
_PARTS = late_pattern(
    r"\s*,?\s+(?:and|und|y)\s+(?=(?:what|who|when|where|why|how|which|was|wer|wann|wo|wie|warum|qué|quién|cuándo|dónde)\b)",
    regex.IGNORECASE,
)
"""Where a question asks a second thing; who answers the one has answered."""
_SHORT = range(1, 5)
_OF_A_SHORT_ONE = 0.5
"""Of a question of so many telling words this share, by weight, must be held…"""
_OF_A_LONG_ONE = 0.35
"""…of a longer one this…"""
_MUCH = 6.0
"""…or as much as two or three rare words."""
_NAMED = 3
_NONE = frozenset[str]()
_TOLD_AS = {
    stem_of(one): frozenset(map(stem_of, others.split()))
    for one, others in (
        ("inherit", "leave left bequeath will heir estate"),
        ("dislike", "hate detest despise loathe"),
        ("hate", "dislike detest despise loathe"),
        ("borrow", "lend lent loan"),
        ("lend", "borrow loan"),
        ("receive", "give gave send sent"),
        ("weigh", "weight kilo kg"),
        ("own", "buy bought belong"),
        ("teach", "learn"),
        ("learn", "teach taught"),
    )
}
"""What a question may call otherwise than who tells it; the answer itself is held against its source elsewhere."""
_OPEN = late_pattern(
    r"^\W*(?:and|but|so|und|aber)?\s*(?:(?:in|on|at|to|from|with|for|since|by|about|of|an|mit|von|seit|zu)\s+)?"
    r"(?:what|who|whom|whose|when|where|why|how|which|was|wer|wen|wem|wessen|wann|wo|wohin|woher|warum|wieso|weshalb|wie"
    r"|welche[rsnm]?|qué|quién|cuándo|dónde|cómo|cuál|cuánt[oa]s?"
    r"|πώς|ποι\p{L}+|πού|πότε|τι|γιατί|πόσ\p{L}+)(?:['’]s)?\b",
    regex.IGNORECASE,
)
"""A question that a yes or a no does not answer."""
_CHOICE = late_pattern(r"\b(?:or|oder|o|between|zwischen|entre|which of|welche[rs]? (?:von|der))\b", regex.IGNORECASE)
"""A question that names what may be the answer."""
_WILL = r"(?:want|need|wish|hope|expect|prefer|ask for|demand)"
_ASKS_FOR_WILL = late_pattern(
    rf"\bwhat (?:did|does|do|has|have|had) .{{1,60}}?\b(?P<will>{_WILL})(?:ed)?\b(?! to\b)"
    r"|\bwas (?:wollte|will|wollten|wollen|braucht|brauchte|wünscht|wünschte|möchte)n?\b",
    regex.IGNORECASE,
)
_OF_WILL = late_pattern(
    r"\b(?:want|need|wish|hop(?:e|ing)|expect|prefer|demand|ask|request|look(?:s|ed|ing)? for|would|wanna|must|should"
    r"|woll\w*|will|brauch\w*|wünsch\w*|möcht\w*|bitte\w*|bat|so that)(?:s|ed|es|ing)?\b|['’]d\b",
    regex.IGNORECASE,
)
_SUBJECTS = word_set("i you he she it we they ich du er sie es wir")
_WHENEVER = late_pattern(
    r"\b(?:before|after|since|until|till|while|when|whenever|once|as soon as|not yet|never|always|every|daily|weekly"
    r"|monthly|vor|nach|seit|bis|als|während|bevor|nachdem|sobald|nie|immer|heute|gestern|morgen|jeden|jede|antes|después|desde"
    r"|hasta|hoy|ayer|mañana|nunca|siempre|im (?:januar|februar|märz|april|mai|juni|juli|august"
    r"|september|oktober|november|dezember|frühling|frühjahr|sommer|herbst|winter)|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?)\b",
    regex.IGNORECASE,
)
_PERSONS = word_set("i you he she we they me him us them mine ich du er wir ihn ihm mich yo nosotros")
_NOT_ANSWERED = "the answer does not answer the question"
_LACKS: dict[AskedKind, str] = {
    "time": "it does not say when",
    "number": "it gives no number",
    "money": "it gives no sum",
    "person": "it does not say who",
    "place": "it does not say where",
}
_NO_PLACES = word_set("half quarter noon night midnight least most first last once all dawn dusk any")
"""Words behind an "at" or an "in" that tell a time or a measure."""
OF_ANOTHER = "the cited sources speak of something or somebody else than the question"


class Answer(NamedTuple):
    """An answer as it is held against its question."""

    text: str
    claims: tuple[str, ...]
    """The supported sentences that state something."""
    cited: tuple[Passage, ...]
    """The sentences that located spans touch."""
    used: tuple[tuple[Passage, ...], ...]
    """Those of them that bear each of the claims out."""

    @classmethod
    def of(cls, text: str, said: Sequence[str], judged: Sequence[Judged], cited: Sequence[Passage]) -> Self:
        """Return the answer `text`, whose sentences `said` were judged by what was `cited`."""
        claims = [(one, by) for one, by in zip(said, judged, strict=True) if by.verdict == "supported" and by.weight]
        used = tuple((by.support.used if by.support else ()) or tuple(cited) for _, by in claims)
        return cls(text, tuple(one for one, _ in claims), tuple(cited), used)

    @property
    def bearing(self) -> tuple[Passage, ...]:
        """The sentences that bear any of the claims out, each once."""
        return tuple(dict.fromkeys(passage for used in self.used for passage in used))

    @property
    def words(self) -> list[Word]:
        """The words of its claims."""
        return [word for claim in self.claims for word in words(claim)]


def off_the_point(question: str, stance: Stance, answer: Answer, sent: Sequence[Evidence]) -> str | None:
    """Return why an answer is none to `question`, in words for the person who asked; None where it may be one.

    Args:
        question: the question; what it leans on may follow in a line of its own.
        stance: how the voice was to speak; only who was to answer owes an answer.
        answer: the answer with what it rests on.
        sent: all rows of the prompt.
    """
    fits = speaks_to_claim if stance is Stance.CHALLENGE else is_relevant
    if not fits(question, answer.text, answer.cited, sent):
        return OF_ANOTHER
    if stance is not Stance.SYNTHESIZE or not answer.claims:
        return None
    return next(_lacks(question, answer, sent), None)


def _lacks(question: str, answer: Answer, sent: Sequence[Evidence]) -> Iterator[str]:
    """Yield what an answer lacks."""
    asked = question.partition("\n")[0]
    if _leaves_out_the_will(asked, answer):
        yield f"{_NOT_ANSWERED}: it does not say what was wanted"
    if _says_it_back(question, answer):
        yield f"{_NOT_ANSWERED}: it only says it back"
    if is_turned_around(words(asked), [one for one in answer.bearing if speaker_key(one) == OWNER]):
        yield f"{_NOT_ANSWERED}: the source has the two people the other way round"
    is_listed = bool(listed_in(asked, [passage.row for passage in answer.cited]))
    untold = [_untold(one, answer, sent) for one in _PARTS.split(asked)]
    if all(untold) and not is_listed:
        yield f"{_NOT_ANSWERED}: nothing that it cites is about {', '.join(untold[0])}"
    rows = list({passage.row.alias: passage.row for passage in answer.cited}.values())
    deed = asked_deed(asked)
    is_named = deed is not None and any(word.key in deed.forms for word in answer.words)
    around = [*rows, *(row for row in _around(rows, sent) if row not in rows)]
    if not is_named and (missing := lacking_deed(asked, around)):
        yield f"{_NOT_ANSWERED}: {missing.replace('no source on this', 'nothing that it cites')}"
    kinds = asked_kinds(asked)
    if kinds and not any(_brings(kind, asked, answer) for kind in kinds):
        yield f"{_NOT_ANSWERED}: {_LACKS[kinds[0]]}"
    measure = asked_measure(asked)
    if measure is not None and not measure.says(answer.text):
        yield f"{_NOT_ANSWERED}: it does not say {measure.name}"


def _says_it_back(question: str, answer: Answer) -> bool:
    """Return whether an answer to an open question holds nothing that the question does not."""
    if not _OPEN.match(question) or _CHOICE.search(question):
        return False
    asked = words(question)
    stems = frozenset(word.stem for word in asked)
    keys = {word.key for word in asked}
    small = any(word.key in NOTHING or (word.key in _PERSONS and word.key not in keys) for word in answer.words)
    is_dated = "time" in asked_kinds(question) and _tells_a_time(answer.text)
    return not (small or is_dated or any(_is_news(word, stems) for word in answer.words))


def _is_news(word: Word, asked: frozenset[str]) -> bool:
    """Return whether a word of an answer says what the question, of stems `asked`, does not; of times nobody asked."""
    if word.is_stop or word.key in ASKING or word.key in LIGHT:
        return False
    return word.is_number or credit_of(word.stem, asked) < _HELD


def _untold(question: str, answer: Answer, sent: Sequence[Evidence]) -> list[str]:
    """Return what the question tells and what the answer rests on does not hold, where that is too much.

    Of a question of one telling word that asks for a kind ("Where do I live?") the answer's kind is enough: that word
    is often said in another; so is one that names nothing but the sort of thing that is wanted.
    """
    known = _known(answer, sent)
    asked = Inquiry.of(question, known)
    telling = _uncorrected(asked, answer)
    is_of_a_sort = all(weight < weight_of(stem) for stem, weight in telling.items())
    if is_of_a_sort or (len(telling) == 1 and asked_kinds(question)):
        return []
    around = list(_held(question, answer, sent))
    lacking = [stem for stem in telling if max(_credit(stem, said) * worth for said, worth in around) < _HELD]
    told = {stem: weight for stem, weight in telling.items() if stem not in lacking}
    names = {name.stem for name in asked_names(question, words(question), known)}
    least = _OF_A_SHORT_ONE if len(telling) in _SHORT else _OF_A_LONG_ONE
    much = sum(weight for stem, weight in told.items() if stem not in names)
    is_enough = sum(told.values()) >= least * sum(telling.values()) or much >= _MUCH
    return [] if is_enough else asked.words_of(lacking)[:_NAMED]


def _credit(stem: str, said: frozenset[str]) -> float:
    """Return how well a word of a question is told: by itself, or by what is the same from the other side."""
    return max(credit_of(stem, said), _HELD if _TOLD_AS.get(stem, _NONE) & said else 0.0)


def _uncorrected(asked: Inquiry, answer: Answer) -> dict[str, float]:
    """Return what a question tells without the names that a "No, …" may have put others in the place of."""
    if not opens_with_no(answer.text):
        return dict(asked.telling)
    said = frozenset[str]().union(*(passage.stems for passage in answer.bearing))
    return {stem: own for stem, own in asked.telling.items() if stem in said or not asked.written[stem][:1].isupper()}


def _held(question: str, answer: Answer, sent: Sequence[Evidence]) -> Iterator[tuple[frozenset[str], float]]:
    """Yield stems of what the news of an answer rests on, and of what was said around it, with what each set counts."""
    stems = frozenset(word.stem for word in words(question))
    telling: list[Passage] = []
    for claim, used in zip(answer.claims, answer.used, strict=True):
        news = {word.stem for word in words(claim) if _is_news(word, stems)}
        telling += [passage for passage in used if news & passage.stems] or used
    rows = {passage.row.alias: passage.row for passage in telling}
    for passage in telling:
        yield passage.stems, 1.0
    for other in _around(list(rows.values()), sent):
        worth = max(worth_beside(row, other) for row in rows.values())
        yield frozenset[str]().union(*(passage.stems for passage in all_passages(other))), worth


def _known(answer: Answer, sent: Sequence[Evidence]) -> list[Evidence]:
    """Return the rows that are cited and one of each speaker: whom a prompt knows, however many rows it has."""
    speaking = {row.speaker: row for row in sent if row.speaker}
    return [*(passage.row for passage in answer.cited), *speaking.values()]


def _around(rows: Sequence[Evidence], sent: Sequence[Evidence]) -> list[Evidence]:
    """Return the rows that may be of one thought or of one talk with some of `rows`."""
    thoughts = {thought for row in rows for thought in row.thought_ids}
    days = {row.created_at.date() for row in rows}
    near = [row for row in sent if row.speaker or not thoughts.isdisjoint(row.thought_ids)]
    return [row for row in near if not thoughts.isdisjoint(row.thought_ids) or row.created_at.date() in days]


def _brings(kind: AskedKind, question: str, answer: Answer) -> bool:
    """Return whether an answer holds something of the kind asked for; generous, so that False means "certainly not"."""
    found = answer.words
    if any(word.key in NOTHING for word in found):
        return True
    if kind == "time":
        return _tells_a_time(answer.text)
    if kind in ("number", "money"):
        return says("number", answer.text) or says("money", answer.text)
    is_chosen = names_the_chosen(question, {word.stem for word in found}, answer.bearing)
    if is_chosen is not None:
        return is_chosen
    asked = {word.key for word in words(question)}
    new = [word for word in found if word.key not in asked and word.key not in LIGHT and weekdays(word.text) == {}]
    is_named = any(word.is_capital and not word.is_stop for word in new)
    if is_named or not any(_is_full(claim, question) for claim in answer.claims):
        return True
    if kind == "place":
        return _names_a_place(answer.text)
    return any(word.key in _PERSONS or says(kind, word.text) for word in new)


def _tells_a_time(text: str) -> bool:
    return says("time", text) or bool(quantities(text)) or _WHENEVER.search(text) is not None


def _names_a_place(text: str) -> bool:
    leads = {match.end() - 1 for match in PLACE_LEAD.finditer(text)}
    placed = (word for word in words(text) if word.start in leads and word.key not in _NO_PLACES)
    return any(word.key not in LIGHT and not weekdays(word.text) for word in placed)


def _leaves_out_the_will(question: str, answer: Answer) -> bool:
    """Return whether it is asked what somebody wants, and the answer tells only what they did."""
    if not _ASKS_FOR_WILL.search(question):
        return False
    told = (*answer.claims, *(passage.text for passage in answer.bearing))
    return all(_is_full(claim, question) for claim in answer.claims) and not any(map(_OF_WILL.search, told))


def _is_full(said: str, question: str) -> bool:
    """Return whether a sentence begins with its subject: a pronoun, or what the question names."""
    found = words(said)
    first = next((word for word in found if word.key in _SUBJECTS or not word.is_stop), None)
    asked = {word.stem for word in words(question) if not word.is_stop}
    return first is not None and (first.key in _SUBJECTS or first.stem in asked)
