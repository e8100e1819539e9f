"""What kind of sentence this is: a claim, a question, a meta sentence, a quotation.

Law: only what asserts nothing may leave the denominator. Whatever is in doubt is a claim; a question that brings its
answer along ("…, right?", "Did you know that …") is a claim; a meta sentence that says anything beyond its formula is
a claim. "I have no …" and "There is no …" speak of the world: only a sentence that speaks of the memory itself, in one
clause, abstains. (Ruling D1: questions and meta sentences are not claims, but nothing may be smuggled in through them.)
"""

from typing import Literal

import regex

from voice.core.grounding.answerability.bare import is_statement
from voice.core.text.patterns import late_pattern
from voice.core.text.stems import stem_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import words

NoteKind = Literal["claim", "question", "meta", "quotation"]
_QUESTION_MARKS = ("?", "？", "؟")
_CLOSERS = " \t\n\"'”’»)]}*_`"
_MARKER = late_pattern(r"^\s*(?:[-*•‣◦–—+]|#{1,6}|>|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+")
_NOT = "(?: not|n['’]t)"
_ASKS = "(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|am)"
_TAG = late_pattern(
    r"[,;(–—-]\s*(?:and |or |so )?(?:right|correct|yes|no|huh|eh|okay|ok|true|really|remember|you know|you see|agreed"
    r"|am i right|isn['’]t that (?:so|right)|is that (?:so|right)|don['’]t you (?:think|agree)"
    r"|wouldn['’]t you (?:say|agree)|oder|nicht wahr|nicht|gell|stimmt['’]?s?|verdad|no es así"
    rf"|(?:wo|ca|{_ASKS})(?:n['’]t| not)? (?:it|that|he|she|i|we|you|they|there)(?: not)?"
    r")\s*+(?:\)\s*+)?[?？؟]$",
    regex.IGNORECASE,
)
"""What turns a statement into a question in form alone."""
_ASKING = late_pattern(rf"(?:what|who|whom|whose|when|where|why|how|which|{_ASKS})\b", regex.IGNORECASE)
_LOADED = late_pattern(
    r"^(?:so |and |but |well,? )*(?:(?:did|do) you (?:know|remember|realize|realise|recall|notice)"
    r"\b(?! (?:what|who|when|where|why|how|if|whether))"
    r"|(?:were|are) you (?:aware|surprised)\b|have you heard\b(?! (?:of|about|from)\b)|can you believe\b"
    r"|would(?:n['’]t)? (?:it|you) (?:surprise|be surprised)\b|(?:do you )?remember (?:when|how|that)\b"
    r"|isn['’]t it\b|who (?:would|could)(?:n['’]t| not)\b|what if i told you\b|guess what\b|you (?:know|see) that\b"
    rf"|{_ASKS}n['’]t\b|{_ASKS} (?:it|he|she|they|you|we|[\p{{L}}'’]+) not\b)",
    regex.IGNORECASE,
)
"""What asks so that only one answer is left."""
_SOURCES = r"(?:the|your) (?:cited )?(?:sources?|memor(?:y|ies)|notes|knowledge(?: base| graph)?)"
_LEAD = late_pattern(
    r"^(?:(?:unfortunately|however|but|well|(?:i['’]m |i am )?sorry"
    rf"|(?:based on|according to|from) {_SOURCES})\b[,:]? ?)+",
    regex.IGNORECASE,
)
_COURTESY = late_pattern(
    r"^(?:sure|of course|certainly|okay|ok|thanks?(?: you)?|great question|good question|hello|hi"
    r"|you(?:['’]re| are) welcome|(?:i|we) (?:hope|trust) (?:this|that|it) helps?|let me know\b.*|feel free to\b.*"
    r"|would you like\b.*|here(?: is|['’]s| are) (?:what|the)\b.*|i(?:['’]d| would) be happy to\b.*"
    r"|here (?:it is|they are|you are|you go)|that(?: is|['’]s) (?:all|it)|in (?:short|summary|brief|conclusion))"
    r"[\s.!:,;…]*$",
    regex.IGNORECASE,
)
_REMARK = late_pattern(
    r"^(?:(?:oh|wow|ah|haha)\b[,!. ]*)?"
    r"(?:(?:that(?: is|['’]s| sounds) (?:(?:very|really|so|quite|just|pretty) )?"
    r"(?:interesting|fascinating|great|good|awesome|cool|nice|wonderful|lovely|amazing))(?: to hear(?: that)?)?"
    r"|i(?: am|['’]m) (?:(?:very|really|so) )?(?:sorry|glad|happy) to hear (?:that|this|it))"
    r"[\s.!,…]*$",
    regex.IGNORECASE,
)
"""What a listener puts in: it tells nothing of what was asked."""
_TELL = (
    "(?:say|mention|state|contain|hold|tell|record|show|specify|answer|give|include|cover|name|describe|note|provide"
    "|indicate|reveal|address|list|explain|confirm|support)"
)
_KNOWN = r"(?:information|mention|details?|memor(?:y|ies)|notes?|sources?|records?|answers?|evidence)"
_CAN_NOT = rf"(?:can(?:not|['’]t| not)|could{_NOT}|(?:am|['’]m|was) unable to)"
_ASKED_FOR = r"(?:whether|if|what|who|whom|whose|where|when|why|how|which)(?! to\b)"
_ABSTENTION = late_pattern(
    rf"^{_SOURCES} (?:(?:do(?:es)?{_NOT}|did{_NOT}|never) {_TELL}|{_TELL}s? nothing)\b"
    rf"|^(?:i|we) (?:do{_NOT} know|{_CAN_NOT} (?:tell|say|determine|confirm))(?: (?:for sure|that|this))?"
    rf"(?:\s*$| {_ASKED_FOR}\b)"
    rf"|^(?:i|we) {_CAN_NOT} answer(?: (?:that|this|it|the|your|question))*\s*$"
    r"|^(?:i|we) (?:have )?found nothing (?:about|on|regarding)\b"
    rf"|^(?:i|we) (?:have|found|do{_NOT} have|did{_NOT} find|{_CAN_NOT} find) (?:no|any|enough|sufficient) "
    r"(?:information|details)\b(?: (?:about|on|regarding|of))?"
    rf"|^nothing in {_SOURCES}(?: {_TELL}s)?\b"
    rf"|^(?:i|we) {_CAN_NOT} (?:help|clarify|elaborate)(?: (?:you|with|on|that|this))*\s*$",
    regex.IGNORECASE,
)
_LOOKED = late_pattern(
    rf"^(?:there(?: is|['’]s| are) (?:no|nothing|not)\b|(?:i|we) (?:found|see|have) (?:no|nothing)\b"
    rf"|(?:i|we) (?:{_CAN_NOT}|do{_NOT}|did{_NOT}) (?:find|see|have)\b)(?=.* in (?:{_SOURCES}|memory)\s*$)",
    regex.IGNORECASE,
)
_NO_SUCH = late_pattern(
    rf"^(?:there(?: is|['’]s| are) no|(?:i|we) (?:found|have) no|(?:i|we) do{_NOT} have (?:any|an|a)) {_KNOWN}"
    r"(?: (?:about|of|on|for) (?:that|this|it))?\s*$",
    regex.IGNORECASE,
)
_NEXT_CLAUSE = late_pattern(
    r"[,;:—–(]| - |\b(?:but|and|because|although|though|however|yet|so|still|except|instead|while|since)\b",
    regex.IGNORECASE,
)
META_WORDS = frozenset(
    stem_of(word)
    for word in word_set(
        "source memory note evidence knowledge answer question information help know find ground mention record detail "
        "sure hope like more anything something else further provide summary ask happy sorry context relate base "
        "accord follow remember contain state specify regard cite say let feel free clarify elaborate support "
        "statement thank welcome great good hello okay certain unable cannot course need want"
    )
)
"""Words about answering."""
_OF_THE_MEMORY = frozenset(
    stem_of(word)
    for word in word_set("source memory note knowledge base graph answer question information detail mention")
)


def kind_of(sentence: str) -> NoteKind:
    """Return the kind of one sentence."""
    bare = _MARKER.sub("", sentence).strip()
    asking = bare.rstrip(_CLOSERS + "!！…")
    if asking.endswith(_QUESTION_MARKS):
        is_tagged = _TAG.search(asking) and not _ASKING.match(bare)
        return "claim" if is_tagged or _LOADED.match(bare) else "question"
    if is_quotation(sentence):
        return "quotation"
    return "meta" if _is_meta(bare) else "claim"


def is_quotation(sentence: str) -> bool:
    """Return whether the whole sentence is a quotation: in quotation marks, or a quoted line (`> …`)."""
    bare = sentence.strip()
    if bare.startswith("> "):
        return True
    bare = bare.rstrip(".!,;")
    return len(bare) > 2 and (bare[0], bare[-1]) in {('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」")}


def _is_meta(bare: str) -> bool:
    """Return whether the sentence is a courtesy, says that the memory lacks what was asked, or says nothing at all."""
    found = words(bare)
    rest = _LEAD.sub("", bare).strip()
    if _abstains(rest) or _REMARK.match(rest):
        return True
    content = [word for word in found if not word.is_stop]
    if all(word.stem in META_WORDS for word in content) and (not words(rest) or _COURTESY.match(rest)):
        return True
    return not content and not is_statement(found)


def _abstains(text: str) -> bool:
    """Return whether a clause says that the memory does not tell, and nothing else."""
    flat = text.rstrip(" \t\n.!…" + _CLOSERS)
    if _NO_SUCH.match(flat):
        return True
    formula = _ABSTENTION.match(flat) or _LOOKED.match(flat)
    if formula is None:
        return False
    rest = flat[formula.end() :]
    told = [word for word in words(rest) if not word.is_stop]
    return not _NEXT_CLAUSE.search(rest) and all(not word.is_number and word.stem in _OF_THE_MEMORY for word in told)
