"""What kind of sentence this is: a claim, a question, a meta sentence, a quotation.

Law: only what asserts nothing may leave the denominator. Whatever is in doubt is a claim; a question that brings its
answer along ("…, right?", "Did you know that …") is a claim; a meta sentence that says anything beyond its formula is
a claim (ruling D1: questions and meta sentences are not claims, but nothing may be smuggled in through them).
"""

import regex

from voice.core.grounding.values import SentenceKind
from voice.core.text.stems import stem_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import content_words

_CLOSERS = " \t\n\"'”’»)]}*_`"
_MARKER = regex.compile(r"^\s*(?:[-*•‣◦–—+]|#{1,6}|>|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+")
_NOT = "(?: not|n['’]t)"
_TAG = regex.compile(
    r"(?:,\s*(?:right|correct|yes|no|huh|eh"
    r"|(?:is|are|does|do|did|was|were|has|have|wo|would|could|should)n['’]t (?:it|that|he|she|i|we|you|they)"
    r"))\s*\?$",
    regex.IGNORECASE,
)
_LOADED = regex.compile(
    r"^(?:so |and |but |well,? )?(?:did|do) you (?:know|remember|realize|realise)\b(?! (?:what|who|when|where|why|how))"
    r"|^(?:is|are|was|were|did|does|do|has|have)n['’]t\b",
    regex.IGNORECASE,
)
_SOURCES = r"(?:the|your) (?:sources?|memor(?:y|ies)|notes?|evidence|knowledge)"
_META = regex.compile(
    r"^(?:sure|of course|certainly|okay|ok|yes|no|thanks?(?: you)?|great question|good question|hello|hi"
    r"|you['’]re welcome|(?:i|we) (?:hope|trust) (?:this|that|it) helps?|let me know\b.*|feel free to\b.*"
    r"|would you like\b.*|i (?:can(?:not|['’]t)|could not|couldn['’]t|am unable to|['’]m unable to|do not|don['’]t)\b.*"
    r"|i['’]m sorry\b.*|sorry\b.*|here(?: is|['’]s| are) (?:what|the)\b.*|i['’]d be happy to\b.*"
    rf"|(?:based on|according to|from) {_SOURCES}\b.*|{_SOURCES} (?:do(?:es)?{_NOT}|did{_NOT}|never)\b.*"
    r"|there is (?:no|nothing)\b.*|nothing (?:in|here)\b.*|in (?:short|summary|brief|conclusion))"
    r"[\s.!:,;…]*$",
    regex.IGNORECASE,
)
_ABSTENTION = regex.compile(
    r"^(?:unfortunately,? |however,? |but )?"
    r"(?:i (?:can(?:not|['’]t)|could not|couldn['’]t|do not|don['’]t|found no|have no)\b"
    rf"|{_SOURCES} (?:do(?:es)?{_NOT}|did{_NOT}|says? nothing|never)\b"
    r"|there is (?:no|nothing)\b|nothing (?:in|here)\b)",
    regex.IGNORECASE,
)
_META_WORDS = frozenset(
    stem_of(word)
    for word in word_set(
        "source memory note evidence knowledge answer question information help know find ground mention record detail "
        "sure hope like more anything something else further provide summary ask happy sorry context relate base "
        "accord follow remember contain state specify regard cite say let feel free clarify elaborate support "
        "statement thank welcome great good hello okay certain unable cannot course need want"
    )
)


def kind_of(sentence: str, asked: frozenset[str] = frozenset()) -> SentenceKind:
    """Return the kind of one sentence of an answer.

    Args:
        sentence: the sentence.
        asked: the stems of the person's own question; saying that the memory lacks them asserts nothing new.
    """
    bare = _MARKER.sub("", sentence).strip()
    if bare.rstrip(_CLOSERS).endswith(("?", "？", "؟")):
        return "claim" if _TAG.search(bare.rstrip(_CLOSERS)) or _LOADED.match(bare) else "question"
    if is_quotation(sentence):
        return "quotation"
    return "meta" if _is_meta(bare, asked) else "claim"


def is_quotation(sentence: str) -> bool:
    """Return whether the whole sentence is a quotation: in quotation marks, or a quoted line (`> …`)."""
    bare = sentence.strip()
    if bare.startswith("> "):
        return True
    bare = bare.rstrip(".!,;")
    return len(bare) > 2 and (bare[0], bare[-1]) in {('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」")}


def _is_meta(bare: str, asked: frozenset[str]) -> bool:
    """Return whether the sentence is a formula and holds no word that is not about answering."""
    foreign = [word for word in content_words(bare) if word.stem not in _META_WORDS]
    if not foreign:
        return bool(_META.match(bare)) or not content_words(bare)
    return bool(_ABSTENTION.match(bare)) and all(word.stem in asked and not word.is_number for word in foreign)
