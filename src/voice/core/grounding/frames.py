"""What a sentence only asks, supposes, reports, dreams, promises, calls off or tells as ended is not what it states.

Law: a frame has a cue and a stretch of the sentence that it takes out of what is stated: all of a yes/no question, both
sides of an "if", what follows "Anna says that Peter", "dreamt that", "tried to", what precedes "was cancelled". A claim
most of whose telling words stand in such a stretch, that keeps no sign of the frame, says what the sentence does not.
It is decided only where nothing outside of a frame states the same.

A report of a person on themselves, and of one who knows by office (a doctor on the patient), is taken as told.

Source: DESIGN 6 stage 4; ruling D1.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

import regex

from voice.core.grounding.clause_ends import Break, end_of, is_bare_answer
from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage
from voice.core.grounding.support import Support, credit_of
from voice.core.text.patterns import late_pattern
from voice.core.text.words import Word, words

_HELD = 0.5
_CUES = 9
"""So many cues of one frame are looked at in a sentence: nobody writes more, and each may reach over all of it."""
_MOST = 0.6
"""Share of a claim's telling words that a framed stretch must hold for the claim to be what is framed."""


class _Frame(NamedTuple):
    cue: regex.Pattern[str]
    side: Literal["after", "before", "clause"]
    """Which stretch it takes out: from its cue to the clause's end, from the clause's begin to it, or the clause."""
    kept: regex.Pattern[str]
    """Signs that a claim keeps the frame."""
    carried: regex.Pattern[str]
    """Signs that a question carries it, for an answer that says nothing without its question."""
    ends: Break
    """What ends it before its sentence does (`clause_ends`)."""
    asserted: regex.Pattern[str] | None = None
    """Where the frame only speaks against some claims: how those sound."""
    most: float = _MOST


def _of(pattern: str) -> regex.Pattern[str]:
    return late_pattern(pattern, regex.IGNORECASE)


_UNSURE = r"might|(?-i:may)|could|possib\w*|perhaps|maybe|probabl\w*|likely|whether|doubt\w*|\w*sure|vielleicht|ob|wohl"
_KEPT_ASKED = _of(
    rf"\b(?:{_UNSURE}|wonder\w*|ask\w*|question\w*|if|uncertain\w*|consider\w*|think\w*|thought|should|would|worr\w*"
    r"|suspect\w*|fear\w*|concern\w*|curious|interest\w*|hop(?:e|es|ed|ing)|offer(?:s|ed)|invit\w*|suggest\w*|want\w*|plan(?:s|ned|ning)"
    r"|propos\w*|request\w*|inquir\w*|enquir\w*|debat\w*|decid\w*|frag\w*|gefragt|überleg\w*|unsicher)\b|\?"
)
_KEPT_CONDITION = _of(
    rf"\b(?:{_UNSURE}|if|unless|when\w*|in case|depend\w*|provided|would|should|as long as|condition\w*|otherwise|until"
    r"|without|hop\w*|plan\w*|offer\w*|promis\w*|ask\w*|assur\w*|encourag\w*|sure|recommend\w*|suggest\w*|advi[sc]\w*|want\w*|wonder\w*"
    r"|wenn|falls|sofern|es sei denn|sonst|würde\w*)\b|\?"
)
_KEPT_REPORT = _of(
    rf"\b(?:{_UNSURE}|sa(?:y|ys|id|ying)|t[eo]ll?s?|told|accord\w*|claim\w*|alleg\w*|report\w*|suspect\w*|suspici\w*"
    r"|think\w*|thought|believ\w*|accus\w*|heard|rumou?r\w*|suppos\w*|apparent\w*|insist\w*|fear\w*|afraid|opinion|view"
    r"|assum\w*|guess\w*|reckon\w*|blam\w*|mention\w*|explain\w*|warn\w*|presum\w*|convinced|eyes|per"
    r"|sag\w*|gesagt|laut|angeblich|mein(?:t|te|en)|behaupt\w*|glaub\w*|vermut\w*|verdacht\w*|befürcht\w*|soll\w*)\b|\?"
)
_KEPT_DREAM = _of(
    rf"\b(?:{_UNSURE}|dream\w*|nightmare\w*|imagin\w*|pretend\w*|jok\w+|fantas\w*|hop(?:e|es|ed|ing)|wish\w*|want\w*"
    r"|wonder\w*|will|would|geträumt|träum\w*|traum\w*|hoff\w*)\b|\?"
)
_KEPT_AIM = _of(
    rf"\b(?:{_UNSURE}|promis\w*|vow\w*|swore|sworn|pledg\w*|will|going to|tr(?:y|ies|ied|ying)|attempt\w*|effort\w*"
    r"|plan\w*|want\w*|intend\w*|hop(?:e|es|ed|ing)|fail\w*|not|agree\w*|commit\w*|told|assur\w*|should|would|work\w*)\b"
    r"|n['’]t\b|['’]ll\b|\?"
)
_NO_MORE = (
    r"not|never|no|none|nothing|no longer|any ?more|used to|until|till|former\w*|once|previous\w*|ex|past|before|was"
    r"|were|had|did|didn['’]t|without|nicht|kein\w*|nie|früher\w*|ehemal\w*|war|waren|hatte\w*|bis|damals|gewesen|einst"
)
_KEPT_ENDED = _of(
    rf"\b(?:{_NO_MORE}|stop\w*|quit\w*|g[ai]ve\w* up|giving up|avoid\w*|cancel\w*|s[eo]ld?l?|sold|gave|given|return\w*"
    r"|lost|rid|threw|thrown|call\w* off|end\w*|left|cease\w*|skip\w*|steer\w*|free|away|instead|terminat\w*"
    r"|\p{L}{2,}ed|took|ate|drank|saw|went|wrote|planned|aufgehört|vermeide\w*|verkauf\w*|abgesagt|gekündigt)\b|n['’]t\b|\?"
)
_KEPT_ALMOST = _of(
    r"\b(?:almost|nearly|close\w*|narrowly|about to|barely|just|not|never|avoid\w*|escap\w*|without|beinahe|fast|nicht"
    r"|practically|virtually|mostly|soon|yet|still|being)\b|n['’]t\b|\?"
)
_KEPT_CALLED_OFF = _of(
    r"\b(?:cancel\w*|call\w* off|abgesagt|not|never|no|planned|scheduled|supposed|off|fell|scrapped|postpon\w*|was to"
    r"|were to|would|wanted|nicht|abgeblasen|ausgefallen|instead)\b|n['’]t\b|\?"
)
_DONE = _of(
    r"\b(?:took place|happened|occurred|was held|were held|had|got|underwent|received|has been|have been|was performed"
    r"|went|came|arrived|done|finished|attended|visited|fand statt|hat stattgefunden|hatte)\b"
)
_GOT = _of(
    r"\b(?:had|got|underwent|received|bought|(?:has|have)(?= (?:an?|the|new|had|got|received|undergone|bought)\b))\b"
)
_HAVING = _of(
    r"\b(?:i|you|we|s?he|they|ich|du|er|sie|wir) (?:still |also |noch )?"
    r"(?:have|has|own|owns|drive|drives|possess\w*|keep|keeps|hast|hat|besitzt)\b(?! \w+(?:ed|en)\b)"
)
_PERSON = (
    r"(?:(?-i:\p{Lu})\p{L}+|s?he|they|people|some(?:one|body)|(?:the|my|our|his|her|their|mein\w?|unsere?) \p{Ll}+)"
)
_KNOWS = (
    r"(?:doctor|vet|dentist|surgeon|gp|lawyer|plumber|mechanic|electrician|bank|landlord|landlady|teacher|nurse|midwife"
    r"|therapist|accountant|school|website|letter|email|e-mail|app|sign|label|manual|arzt|ärztin|tierarzt|anwalt)"
)
_NO_NAME = (
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October"
    r"|November|December|That|This|The|It|We|You|My|Our|If|When|There|No|Yes"
)
_NAME = rf"(?-i:(?!(?:{_NO_NAME})\b)\p{{Lu}}\p{{L}}+)"
_SAYS = r"(?:says|said|say|told (?:me|us)|tells (?:me|us)|sagt|sagte|erzählt|erzählte|hat (?:mir )?(?:gesagt|erzählt))"
_CLAIMS = (
    r"(?:claim(?:s|ed)|alleg(?:es|ed)|believ(?:es|ed)|assum(?:es|ed)|reckon(?:s|ed)|thinks|thought|guess(?:es|ed)"
    r"|behauptet(?:e|en)?|glaubt(?:e|en)?|vermutet(?:e|en)?|meint(?:e|en)?)"
)
_IDLE_IF = (
    r"(?! (?:i['’]?m (?:honest|not mistaken)|i (?:remember|recall|am honest)"
    r"|you (?:ask me|know|like|want|need|listen|look)|need be|necessary|possible|only|not|any|so|ever)\b)"
)
_ASKS_WHETHER = _of(r"\b(?:wonder\w*|ask\w*|whether|unsure|gefragt|überleg\w*)\b")
_ASKS_IF = _of(r"\b(?:if|unless|in case|falls|wenn|sofern)\b")
_ASKS_REPORT = _of(
    rf"\b(?:does|did|do|hat|was) (?!i\b|you\b|we\b)[^?]*"
    rf"(?<!\b(?:i|you|we) )\b(?:say|tell|claim\w*|think|believe|suspect\w*|assume|guess|reckon"
    rf"|sagt?|gesagt|mein(?:t|en)|glaub(?:t|en)|behaupte(?:t|n)|vermute(?:t|n))\b(?! me\b| us\b)"
    rf"|\b(?:says|said|told|{_CLAIMS})\b|\baccording to (?!my|the)"
)
_ASKS_AIM = _of(r"\b(?:promis\w*|vow\w*|pledg\w*|tr(?:y|ies|ied|ying)|attempt\w*)\b")
_FRAMES = (
    _Frame(
        _of(
            r"^(?:\p{L}+: )?(?:(?:and|but|so|or|hmm+|also|oh|well|und|aber),? )*(?:what if|was(?=,? wenn\b)"
            r"|(?:is|are|was|were|am|do|does|did|has|have|had|will|should|shall|can|could"
            r"|ist|sind|hat|haben|soll|sollte|sollen|kann|wird)(?! (?:not|you|it not|nicht)\b)(?!n['’]t))\b[^.!]*\?\W*$"
        ),
        "clause",
        _KEPT_ASKED,
        _ASKS_WHETHER,
        "never",
    ),
    _Frame(
        _of(rf"(?<!\b(?:as|even|see|ask|asked|asks|know|knows|knew|wonder|only|what|whether) )\bif\b{_IDLE_IF}"),
        "clause",
        _KEPT_CONDITION,
        _ASKS_IF,
        "never",
    ),
    _Frame(
        _of(
            rf"(?<who>\b{_PERSON}) (?:also |just |even )?{_SAYS}[:,]?\s*[\"“„»]?(?:that |dass )?"
            rf"(?=(?<of>{_NAME}))(?!\g<who>\b)"
        ),
        "after",
        _KEPT_REPORT,
        _ASKS_REPORT,
        "report",
    ),
    _Frame(
        _of(rf"\b{_PERSON} (?:also |just |still )?{_CLAIMS}\b(?! (?:of|about|so|to)\b),?"),
        "after",
        _KEPT_REPORT,
        _ASKS_REPORT,
        "report",
    ),
    _Frame(
        _of(r"\b(?:allegedly|supposedly|reportedly|angeblich|rumou?r has it|rumou?rs? (?:that|say))\b"),
        "clause",
        _KEPT_REPORT,
        _ASKS_REPORT,
        "report",
    ),
    _Frame(
        _of(r"\b(?:suspect(?:s|ed)?(?! (?:in|of)\b)|suspicion of|Verdacht auf)\b"),
        "after",
        _KEPT_REPORT,
        _ASKS_REPORT,
        "suspicion",
    ),
    _Frame(
        _of(
            r"\b(?:dream(?:s|t|ed)|had an? \w*\s?(?:dream|nightmare)|imagined|pretended|joked)\b(?! (?:of|about|to)\b)"
            r"|\b(?:hope[sd]?|wish(?:es|ed)?) (?:that )?(?=(?:i|we|he|she|they|it|the|my|our|(?-i:\p{Lu}\p{L}+))\b)"
            r"|\b(?:habe|hat) geträumt\b"
        ),
        "after",
        _KEPT_DREAM,
        _of(r"\b(?:dream\w*|hop(?:e|es|ed|ing)|wish\w*|imagin\w*|pretend\w*|jok\w+|\w*träum\w*|hoff\w*)\b"),
        "dream",
    ),
    _Frame(
        _of(r"\b(?:promis|vow|pledg)(?:es|ed|e|s)?(?= (?:\p{L}+ ){1,4}?to\b)"), "after", _KEPT_AIM, _ASKS_AIM, "deed"
    ),
    _Frame(
        _of(r"\b(?:tried|attempted) to\b(?![^.;]*\b(?:did|succe\w+|manag\w+|work(?:ed|s)|finally)\b)"),
        "after",
        _KEPT_AIM,
        _ASKS_AIM,
        "deed",
    ),
    _Frame(
        _of(
            r"\bneed(?:s|ed)? (?:an?|the|another|new|more)\b(?! (?:hand|break|moment|minute)\b)"
            r"(?![^.;!?]*(?<!\b(?:never|not|\w+n['’]t) )\b(?:got|bought) (?:one|it|them|some)\b)"
        ),
        "clause",
        _of(r"\b(?:need\w*|requir\w*|must|should|will|necessary|want\w*|would)\b|\?"),
        _of(r"\bneed\w*"),
        "deed",
        _GOT,
    ),
    _Frame(
        _of(r"\b(?:is|are|was|were) (?:scheduled|booked|planned|set|due|fixed|slated) (?:for|on|in)\b"),
        "clause",
        _of(r"\b(?:scheduled|booked|planned|set|due|fixed|slated|will|plan\w*)\b|\?"),
        _of(r"\b(?:scheduled|booked|planned)\b"),
        "deed",
        _DONE,
    ),
    _Frame(
        _of(r"\b(?:stopped|quit|gave up|given up)(?= \w+ing\b)|\bquit\b(?! \w+ing\b)"),
        "after",
        _KEPT_ENDED,
        _of(r"\b(?:stop\w*|quit\w*|g[ai]ve\w* up|giving up|did|was|were|had|used to|no longer)\b"),
        "past",
        most=_HELD,
    ),
    _Frame(
        _of(r"\bavoids?\b(?! \w+ing\b)"),
        "after",
        _KEPT_ENDED,
        _of(r"\b(?:avoid\w*|not)\b|n['’]t\b"),
        "past",
        most=_HELD,
    ),
    _Frame(
        _of(r"\b(?:sold|cancelled|canceled|gave away|got rid of|threw (?:away|out)|verkauft|gekündigt)\b"),
        "clause",
        _KEPT_ENDED,
        _of(r"\b(?:sold|sell|cancel\w*|g[ai]ve\w* away|rid of|verkauf\w*|gekündigt)\b"),
        "past",
        _HAVING,
    ),
    _Frame(
        _of(r"\b(?:was|were|is|are|been|got) (?:cancelled|canceled|called off)\b|\b(?:wurde|ist) abgesagt\b"),
        "before",
        _KEPT_CALLED_OFF,
        _of(r"\b(?:cancel\w*|call\w* off|abgesagt)\b"),
        "past",
    ),
    _Frame(
        _of(
            r"(?<!\b(?:not|nicht) )\b(?:almost|nearly|beinahe)\b"
            r"(?! (?:always|entire|different|the|one|like|twice|five|nine|eight|hundred|thousand|late|quite)\b)"
            r"(?! forgot[:,])"
            r"(?= (?:got |been )?\p{Ll}{2,}(?:ed|en|t|e|d)\b)"
        ),
        "after",
        _KEPT_ALMOST,
        _of(r"\b(?:almost|nearly|beinahe)\b"),
        "deed",
    ),
    _Frame(
        _of(
            r"\b(?:habe?|hat|haben|bin|ist|war|waren|hatten?|\p{L}{3,}te|ging) (?:\p{L}+ ){0,2}?(?:früher|damals)\b"
            r"|^(?:früher|damals) (?:habe?|hat|haben|bin|war|hatte|\p{L}{3,}te)\b(?! (?:als|oder)\b)"
        ),
        "clause",
        _of(rf"\b(?:{_NO_MORE}|hast|hat|warst|hattest|\p{{L}}{{3,}}te(?:st|n)?|lebtest|gingst)\b"),
        _of(r"\b(?:früher|damals)\b"),
        "past",
        most=_HELD,
    ),
    _Frame(
        _of(
            r"\b(?!(?:and|but|was|were|has|had|with|about|for|want\w*|there|is|like|that|know|knows)\b)\p{L}{3,}"
            r" (?:absolutely )?(?:nothing|nobody)\b(?! (?:but|except|like|short|else than)\b)"
        ),
        "clause",
        _of(r"\b(?:not|never|no|nothing|nobody|none|fail\w*|refus\w*|without|nichts|un\w+)\b|n['’]t\b|\?"),
        _of(r"\b(?:nothing|nobody|no one)\b"),
        "nothing",
    ),
)
_OFFICE = _of(rf"(?:the|my|our|his|her|their|mein\w?|unsere?|der|die) {_KNOWS}\b")
_BEGIN = late_pattern(r"[.;:!?,\n] ")
_YES = late_pattern(
    r"^(?:\p{Lu}[\p{L} ]*: |[-–—=>→(\s]+)?(?:yes|yeah|yep|yup|sure|absolutely|definitely|of course"
    r"|totally|ja|klar|indeed|right)\b",
    regex.IGNORECASE,
)
_JOINED = late_pattern(r"\b(?:and|und)\b|,")


def frame_findings(
    text: str, found: Sequence[Word], support: Support, passages: Sequence[Passage], question: str = ""
) -> list[Finding]:
    """Return a finding when the claim `text` states as a fact what its best sentence holds in a frame only.

    Args:
        text: the claim.
        found: its words.
        support: what holds it.
        passages: all evidence; what one of its sentences states outside of a frame is stated.
        question: what was asked; the frame that it carries is kept by an answer that says nothing without it.
    """
    telling = [word for word in found if not word.is_stop]
    best = support.best
    if best is None or not any(
        _is_framed(text, telling, frame, best, passages) for frame in _asked(text, question, best)
    ):
        return []
    if any(_share(telling, _plain(passage)) >= _MOST for passage in passages):
        return []
    reason = "the answer states as a fact what the source only asks, supposes, reports, attempts or tells as ended"
    return [Finding(flag="modality", text=reason, effect="unsupported", is_slight=True)]


def _is_framed(text: str, telling: Sequence[Word], frame: _Frame, best: Passage, passages: Sequence[Passage]) -> bool:
    """Return whether a claim is what a frame of its best sentence holds, and keeps no sign of it."""
    stretches = list(_stretches(frame, best))
    if not stretches or frame.kept.search(text) or (frame.asserted and not frame.asserted.search(text)):
        return False
    if frame is _FRAMES[0] and any(_YES.search(passage.text) for passage in passages):
        return False
    if frame is _FRAMES[1] and _tells_the_bond(text, telling, best):
        return False
    return any(_share(telling, _stems(best, *stretch)) >= frame.most for stretch in stretches)


def _asked(text: str, question: str, best: Passage) -> Iterator[_Frame]:
    """Yield the frames that the question does not carry over to an answer that says nothing without it.

    It carries one that the sentence is asked for: it names nobody whom the sentence does not hold, and its words are
    in the sentence: after an "if" all of them.
    """
    asked = [word for word in words(question) if not word.is_stop] if is_bare_answer(text) else []
    named = [word for word in asked if word.is_capital and word.start > 0]
    same = _share(asked, best.stems) >= _MOST and (not named or _share(named, best.stems) == 1)
    for frame in _FRAMES:
        sign = frame.carried.search(question) if same else None
        under = [word for word in asked if sign and frame is _FRAMES[1] and word.start > sign.start()]
        if not sign or (under and _share(under, best.stems) < 1):
            yield frame


def _tells_the_bond(text: str, telling: Sequence[Word], passage: Passage) -> bool:
    """Return whether a claim takes words from both sides of an "if" and does not put them side by side."""
    start = next(match.start() for match in _FRAMES[1].cue.finditer(passage.text))
    turn = passage.text.find(",", start) if not passage.text[:start].strip() else start
    if turn < 0 or _JOINED.search(text):
        return False
    sides = (_stems(passage, 0, turn), _stems(passage, turn, len(passage.text)))
    return all(any(credit_of(word.stem, side) >= _HELD for word in telling) for side in sides)


def _stretches(frame: _Frame, passage: Passage) -> Iterator[tuple[int, int]]:
    """Yield where a sentence holds words in a frame."""
    text = passage.text
    for match in islice(frame.cue.finditer(text), _CUES):
        if _OFFICE.match(match[0]):
            continue
        begins = [one.end() for one in _BEGIN.finditer(text, 0, match.start())]
        start = match.end() if frame.side == "after" else begins[-1] if begins else 0
        yield start, match.start() if frame.side == "before" else end_of(text, match.end(), frame.ends)


def _plain(passage: Passage) -> frozenset[str]:
    """Return the stems that a sentence holds outside of every frame that speaks against any claim of it."""
    framed = [stretch for frame in _FRAMES for stretch in _stretches(frame, passage)]
    return frozenset(word.stem for word in passage.words if not any(start <= word.start < end for start, end in framed))


def _stems(passage: Passage, start: int, end: int) -> frozenset[str]:
    return frozenset(word.stem for word in passage.words if start <= word.start < end)


def _share(telling: Sequence[Word], stems: frozenset[str]) -> float:
    held = sum(credit_of(word.stem, stems) >= _HELD for word in telling)
    return held / len(telling) if telling else 0.0
