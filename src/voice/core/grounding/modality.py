"""Hard checks on what is only meant, and on what is said to be the cause of what.

Law: what the source plans, wishes, supposes or asks is not what happened: a claim that states it as a fact is not
supported. The reverse is fine, and so is a claim that keeps the doubt. It is decided only where the best sentence
covers half of the claim and no other sentence states the same thing plainly. A "because" that joins two statements
must join them in one row: two true rows do not make the one the reason of the other.

Source: DESIGN 6 stage 4; ruling D1.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

import regex

from voice.core.grounding.findings import Finding
from voice.core.grounding.frames import frame_findings
from voice.core.grounding.passages import Passage
from voice.core.grounding.support import Support, credit_of, credited_share
from voice.core.grounding.unstated import unstated_findings
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

_SURE = 0.5
_MEANT = late_pattern(
    r"\b(?:plan(?:s|ned|ning)?(?: on|(?: \w+)? to)|want(?:s|ed|ing)? (?:\w+ )?to|wanna|hop(?:e|es|ed|ing) to"
    r"|wish(?:es|ed|ing)?(?: to)?|intend(?:s|ed|ing)?(?: to)?|dream(?:s|ed|t|ing)? (?:of|about)"
    r"|think(?:s|ing)? (?:of|about)|thought (?:of|about)|consider(?:s|ed|ing)?(?= \w+ing\b)|would|might|(?-i:may)"
    r"|whether|maybe|perhaps|possibly|about to|supposed to|tempted to|afraid (?:of|to)"
    r"|(?:i|you|he|she|we|they)['’]d (?:rather |like to |love to )?)\b",
    regex.IGNORECASE,
)
_AHEAD = late_pattern(
    r"\b(?:will|shall|should|ought to|going to|gonna|need(?:s|ed)? to|have to|has to|had to"
    r"|try(?:ing)? to|tries to|tried to|expect(?:s|ed)? to|promis(?:e|es|ed) to)\b|['’]ll\b",
    regex.IGNORECASE,
)
"""What lies ahead: a claim in the present may say the same, one in the past does not."""
_IF = late_pattern(
    r"(?<!\b(?:as|even|what|see|ask|asked|asks|know|knows|knew|wonder|wondered|wonders) )\b(?:if|unless)\b"
    r"(?! (?:not|any|so|possible|i (?:remember|recall)|i['’]m (?:honest|not mistaken))\b)",
    regex.IGNORECASE,
)
_KEPT = late_pattern(
    r"\b(?:plan\w*|want\w*|wish\w*|hop(?:e|es|ed|ing)|intend\w*|intent\w*|dream\w*|think\w*|thought|consider\w*|idea"
    r"|aim\w*|goal\w*|would|might|(?-i:may)|should|could|will|shall|going to|gonna|if|unless|when|whether|maybe|perhaps"
    r"|possibl[ey]|probabl[ey]|likely|about to|supposed|tempted|afraid|fear\w*|need\w*|have to|has to"
    r"|had to|try|tries|tried|trying|expect\w*|promis\w*|agree\w*|deci\w*|willing\w*|look\w* (?:forward|into|for)"
    r"|future|upcoming|next|soon|tomorrow|interest\w*|explor\w*|desire\w*|eager|excited|motivat\w*|prefer\w*|suggest\w*"
    r"|recommend\w*|passionate|determined|committed|dedicated|striv\w*|advi[sc]e\w*|encourag\w*|offer\w*|invit\w*|potential\w*"
    r"|ask\w*|wonder\w*|can|lik\w+ to|lov\w+ to)\b"
    r"|['’](?:d|ll)\b",
    regex.IGNORECASE,
)
_INTENT = late_pattern(
    r"\b(?:(?:decid(?:e|es|ed)|plan(?:s|ned)?|intend(?:s|ed)?|want(?:s|ed)?|hop(?:e|es|ed)|wish(?:es|ed)?|tr(?:y|ies|ied)"
    r"|attempt(?:s|ed)?|promis(?:e|es|ed)|agree(?:s|d)?|offer(?:s|ed)?|dream(?:s|ed|t)?|threaten(?:s|ed)?)(?: \w+)? to"
    r"|(?:considers|considered)(?= \w+ing\b)|thought (?:of|about)|thinks (?:of|about))(?!\p{L})",
    regex.IGNORECASE,
)
_WILLED = late_pattern(
    rf"{_KEPT.pattern}|\b(?:let['’]?s|wanna|must|ready|keen|sure|can['’]?t wait|attempt\w*|effort\w*|work\w* on"
    r"|choose|chose|choice|vow\w*|swore|threat\w*|am going|is going|are going)\b|\?",
    regex.IGNORECASE,
)
"""Any sign of a will, an attempt or what lies ahead."""
_LIGHT = word_set(
    "love like prefer want plan hope try think need able really definitely probably actually also maybe honestly "
    "finally ever one day"
)
"""Words between the doubt and what is doubted: "would love to visit"."""
_CLAUSE_END = late_pattern(r"[.;:!?,()—–\n]| - ")
_CAUSE = late_pattern(
    r"\b(?:because(?: of)?|due to|owing to|as a result(?: of)?|therefore|hence|consequently|caused(?: by)?"
    r"|led to|leads to|resulted in|the reason (?:why|that|for)"
    r"|(?:that|which|this)(?: is|['’]s) why|weil|deshalb|porque)\b",
    regex.IGNORECASE,
)
_EACH_SIDE = 0.4
"""A row holds one side of a "because" when it holds this share of it…"""
_INVENTED = 0.2
"""…and a side of which no row holds this much is invented; what lies between is left to the support score."""


class _Doubt(NamedTuple):
    stem: str
    key: str
    is_ahead: bool
    """Whether it is merely still to come."""


def modality_findings(
    text: str, found: Sequence[Word], support: Support, passages: Sequence[Passage], question: str = ""
) -> list[Finding]:
    """Return a finding when the claim `text` states as a fact what its best evidence only means or supposes.

    Args:
        text: the claim.
        found: its words.
        support: what holds it.
        passages: all evidence; what one of its sentences states plainly is no longer in doubt.
        question: what was asked.
    """
    unstated = unstated_findings(text, found, support, passages) or frame_findings(
        text, found, support, passages, question
    )
    if unstated or support.best_recall < _SURE or support.best is None or _KEPT.search(text):
        return unstated
    doubted = {doubt.stem: doubt for doubt in _doubts(support.best)}
    for word in found:
        doubt = doubted.get(word.stem)
        asserted = doubt is not None and (not doubt.is_ahead or _is_past(word, doubt))
        if asserted and not any(word.stem in _plain(passage) for passage in passages):
            reason = "the answer states as a fact what the source only plans, wishes or supposes"
            return [Finding(flag="modality", text=reason, effect="unsupported")]
    return []


def intent_findings(text: str, found: Sequence[Word], support: Support, passages: Sequence[Passage]) -> list[Finding]:
    """Return a finding when the claim tells a will, a decision or an attempt in front of what the source tells as done.

    Who decided to sell the boat need not have sold it, and who sold it is not said to have decided, wanted or tried.

    Args:
        text: the claim.
        found: its words.
        support: what holds it.
        passages: all evidence; a sign of any will in what holds the deed is enough.
    """
    for match in _INTENT.finditer(text):
        deed = next((word for word in found if word.start >= match.end() and not word.is_stop), None)
        told = [passage for passage in support.used if deed and credit_of(deed.stem, passage.stems) >= _SURE]
        rows = {passage.row.alias for passage in told}
        around = [passage for passage in passages if passage.row.alias in rows]
        if told and not any(_WILLED.search(passage.text) for passage in around):
            reason = "the answer tells a decision, a wish or an attempt where the source only tells what was done"
            return [Finding(flag="modality", text=reason, effect="unsupported")]
    return []


def cause_findings(text: str, found: Sequence[Word], passages: Sequence[Passage]) -> list[Finding]:
    """Return a finding when the claim joins by a "because" what stands in no one row together."""
    joint = _CAUSE.search(text)
    if joint is None:
        return []
    content = [word for word in found if not word.is_stop]
    before = [word for word in content if word.end <= joint.start()]
    turn = joint.end() if before else max(text.find(",", joint.end()), joint.end())
    before = before or [word for word in content if word.end <= turn]
    after = [word for word in content if word.start >= turn]
    held: dict[str, frozenset[str]] = {}
    for passage in passages:
        held[passage.row.alias] = held.get(passage.row.alias, frozenset()) | passage.stems
    shares = [(credited_share(before, stems), credited_share(after, stems)) for stems in held.values()]
    if not (before and after and shares) or any(min(pair) >= _EACH_SIDE for pair in shares):
        return []
    least = min(max(pair[side] for pair in shares) for side in (0, 1))
    apart = least >= _EACH_SIDE or least < _INVENTED
    reason = "the answer gives a reason that no one cited source gives"
    return [Finding(flag="cause", text=reason, effect="unsupported")] if apart else []


def _is_past(word: Word, doubt: _Doubt) -> bool:
    """Return whether the claim's form of a verb is a past one: it ends so, or is another and no longer one."""
    if word.key == doubt.key or word.key.endswith(("s", "ing")):
        return False
    return word.key.endswith("ed") or len(word.key) <= len(doubt.key) + 1


def _doubts(passage: Passage) -> Iterator[_Doubt]:
    """Yield what a sentence does not state: the first telling word after a sign of doubt, and both sides of an if."""
    for pattern, is_ahead in ((_MEANT, False), (_AHEAD, True)):
        for match in pattern.finditer(passage.text):
            yield from _first(passage, match.end(), is_ahead=is_ahead)
    for match in _IF.finditer(passage.text):
        yield from _first(passage, match.end(), is_ahead=False)
        comma = passage.text.find(",", match.end()) if not passage.text[: match.start()].strip() else -1
        if comma >= 0 or passage.text[: match.start()].strip():
            yield from _first(passage, comma + 1, is_ahead=False)


def _first(passage: Passage, start: int, *, is_ahead: bool) -> Iterator[_Doubt]:
    """Yield the first telling word at or after `start` that is no name, if its clause holds one."""
    following = [word for word in passage.words if word.start >= start]
    clause = takewhile(lambda word: not _CLAUSE_END.search(passage.text[start : word.start]), following)
    telling = (
        word for word in clause if not (word.is_stop or word.is_capital or word.is_number) and word.key not in _LIGHT
    )
    yield from (_Doubt(word.stem, word.key, is_ahead) for word in islice(telling, 1))


def _plain(passage: Passage) -> frozenset[str]:
    """Return the stems that a sentence states without any sign of doubt; a question states none."""
    if passage.text.rstrip().endswith("?"):
        return frozenset()
    doubted = {doubt.stem for doubt in _doubts(passage)}
    return frozenset(word.stem for word in passage.words) - doubted
