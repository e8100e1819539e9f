"""Hard checks on what is denied, reversed or widened: negation, opposites, quantifiers and comparatives.

Law: a word that the claim denies and the source affirms (or the other way round) is a contradiction only where the best
evidence sentence covers at least half of the claim; on loosely matching text the same sign is a note that adds to the
score, because natural paraphrase negates freely (GROUNDING, "The negation rule does not carry over").

Source: DESIGN 6 stage 4 (negation, comparatives); ruling D1.
"""

from collections.abc import Sequence

from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage
from voice.core.grounding.support import Support
from voice.core.text.negation import negated
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

_SURE = 0.5
_REACH_BACK = 4
_FOCUS = 2
"""How many content words after a negation are what it denies; the rest of its reach may only be mentioned."""
_DENYING = word_set(
    "lack lacks lacked lacking fail fails failed refuse refuses refused deny denies denied stop stopped quit avoid "
    "avoids avoided unable impossible absent missing miss missed skip skipped cancel cancelled canceled decline "
    "declined reject rejected prevent prevented forgot forgotten rarely seldom few less lost except unless hate hates "
    "dislike dislikes doubt doubts doubted"
)
_OPPOSITES = [
    ("increase rise grow gain improve", "decrease decline fall shrink lose worsen"),
    ("more most", "less fewer least fewest"),
    ("high higher highest", "low lower lowest"),
    ("big bigger biggest large larger largest", "small smaller smallest little tiny"),
    ("old older oldest", "young younger youngest"),
    ("old older", "new newer"),
    ("early earlier earliest", "late later latest"),
    ("before", "after"),
    ("always", "never rarely seldom"),
    ("often frequently", "rarely seldom"),
    ("first", "last"),
    ("buy bought purchase", "sell sold"),
    ("love like enjoy adore", "hate dislike detest despise"),
    ("happy glad excited thrilled", "sad unhappy upset miserable disappointed"),
    ("good great better best", "bad terrible worse worst awful"),
    ("easy easier", "hard difficult tough harder"),
    ("win won", "lose lost"),
    ("start began begin started", "stop stopped end ended quit finish finished"),
    ("open opened", "close closed shut"),
    ("accept accepted", "reject rejected refuse refused decline declined"),
    ("arrive arrived", "leave depart departed"),
    ("hot warm hotter warmer", "cold cool colder cooler"),
    ("fast quick faster quicker", "slow slower"),
    ("near close nearby", "far distant"),
    ("married", "divorced single"),
    ("alive", "dead"),
    ("man boy husband father dad son brother uncle", "woman girl wife mother mom daughter sister aunt"),
    ("north northern", "south southern"),
    ("east eastern", "west western"),
    ("up upstairs", "down downstairs"),
    ("safe", "dangerous unsafe"),
    ("true", "false"),
    ("strong stronger", "weak weaker"),
    ("rich", "poor"),
    ("pass passed", "fail failed"),
    ("hire hired", "fire fired"),
    ("success succeed successful", "failure fail failed unsuccessful"),
    ("allow allowed permit", "forbid forbidden ban banned prohibit"),
    ("remember remembered", "forget forgot forgotten"),
    ("inside indoor indoors", "outside outdoor outdoors"),
    ("public", "private"),
    ("morning", "evening night"),
    ("day", "night"),
    ("summer", "winter"),
    ("major", "minor"),
    ("positive", "negative"),
    ("calm relaxed", "stressed nervous anxious stressful"),
    ("healthy", "sick ill unhealthy"),
    ("empty", "full"),
    ("cheap cheaper", "expensive costly"),
    ("over above", "under below"),
    ("maximum most", "minimum least"),
    ("all every", "some few none"),
    ("with", "without"),
]  # fmt: skip
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "dys")


def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for left, right in _OPPOSITES:
        for ours, theirs in ((left, right), (right, left)):
            for word in ours.split():
                table.setdefault(word, set()).update(theirs.split())
    return {word: frozenset(others) for word, others in table.items()}


_OPPOSITE = _opposites()
_WIDE = word_set("all every always everyone everybody everything entire entirely each completely only")
_NARROW = word_set(
    "some few several sometimes occasionally often usually mostly most partly partially many almost nearly half"
)


def polarity_findings(text: str, found: Sequence[Word], support: Support) -> list[Finding]:
    """Return the signs that the claim `text` denies, reverses or widens what its evidence says."""
    if not support.used:
        return []
    return [*_negation(text, found, support), *_opposite(found, support), *_quantifier(found, support)]


def _negation(text: str, found: Sequence[Word], support: Support) -> list[Finding]:
    ours, our_reach = _denied_stems(text, found)
    scopes = [_denied_stems(passage.text, passage.words) for passage in support.used]
    reaches = [reach for _, reach in scopes]
    for stem in sorted(ours):
        holders = [index for index, passage in enumerate(support.used) if stem in passage.stems]
        if holders and not any(
            stem in reaches[index] or _denied_otherwise(stem, support.used[index]) for index in holders
        ):
            return [_finding(support, "the answer denies what the source affirms", 0.8)]
    if ours and not any(reaches) and not any(_denies_words(passage.words) for passage in support.used):
        return [_note("the answer denies something; the cited sentences deny nothing", 0.6)]
    if our_reach or _denies_words(found) or support.used[0].text.rstrip().endswith("?"):
        return []
    present = {word.stem for word in found if not word.is_stop}
    undone = [stem for stem in sorted(scopes[0][0] & present) if not _affirmed(stem, support.used, reaches)]
    return [_finding(support, "the answer affirms what the source denies", 0.8)] if undone else []


def _denied_stems(text: str, found: Sequence[Word]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems that a sentence denies for sure, and all that its negations may reach."""
    scopes = negated(text, found)
    focus = frozenset(found[index].stem for scope in scopes for index in scope[1 : 1 + _FOCUS])
    return focus, frozenset(found[index].stem for scope in scopes for index in scope[1:])


def _denies_words(found: Sequence[Word]) -> bool:
    return any(word.key in _DENYING or word.key.startswith(("un", "dis")) for word in found)


def _denied_otherwise(stem: str, passage: Passage) -> bool:
    """Return whether a denying word ("refused to", "unable to") stands shortly before the word in the passage."""
    return any(
        word.stem == stem and _denies_words(passage.words[max(0, index - _REACH_BACK) : index])
        for index, word in enumerate(passage.words)
    )


def _affirmed(stem: str, used: Sequence[Passage], denied: Sequence[frozenset[str]]) -> bool:
    return any(stem in passage.stems and stem not in no for passage, no in zip(used, denied, strict=True))


def _opposite(found: Sequence[Word], support: Support) -> list[Finding]:
    best = support.used[0]
    there = {word.key for word in best.words}
    ours = {word.key for word in found}
    pool = frozenset[str]().union(*(passage.stems for passage in support.used))
    for word in found:
        others = _OPPOSITE.get(word.key, frozenset[str]()) | _affixed(word.key)
        if word.stem in pool or word.key in there or not others:
            continue
        hit = next((other.key for other in best.words if other.key in others and other.key not in ours), None)
        if hit is not None and not any(own in ours for own in _OPPOSITE.get(word.key, frozenset[str]())):
            finding = _finding(support, f"the source says “{hit}”, the answer says the opposite", 0.6)
            return [Finding(flag="antonym", text=finding.text, effect=finding.effect, weight=finding.weight)]
    return []


def _affixed(key: str) -> frozenset[str]:
    """Return the words that differ from `key` by a denying prefix or ending."""
    if len(key) < 4:
        return frozenset()
    taken = {key.removeprefix(prefix) for prefix in _PREFIXES if key.startswith(prefix) and len(key) > len(prefix) + 3}
    put = {prefix + key for prefix in _PREFIXES}
    if key.endswith("less"):
        put.add(key.removesuffix("less") + "ful")
    if key.endswith("ful"):
        put.add(key.removesuffix("ful") + "less")
    return frozenset(taken | put)


def _quantifier(found: Sequence[Word], support: Support) -> list[Finding]:
    ours = {word.key for word in found}
    there = {word.key for word in support.used[0].words}
    for wide, narrow in ((ours & _WIDE, there & _NARROW), (ours & _NARROW, there & _WIDE)):
        if wide and narrow and not (ours & narrow) and not (there & wide):
            return [
                _note(f"the source says “{min(narrow)}”, the answer says more or less than that", 0.5, "quantifier")
            ]
    return []


def _finding(support: Support, text: str, weight: float) -> Finding:
    if support.best_recall >= _SURE:
        return Finding(flag="polarity", text=text, effect="contradicted", weight=weight)
    return _note(text, weight)


def _note(text: str, weight: float, flag: str = "polarity") -> Finding:
    return Finding(flag="quantifier" if flag == "quantifier" else "polarity", text=text, effect="note", weight=weight)
