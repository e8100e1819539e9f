"""How many altered quotations are located: `python -m bench.quotes --data FILE [--turns N] [--json]`.

Takes turns of a `memory-bench/1` file as sources and quotes them back, faithfully and with one thing changed. Every
faithful form should be found, no changed fact ever. Conversations state few figures, so as many sentences again are
generated in four languages, with their facts marked (`bench.sentences`). Seeded: the same file gives the same figures.
"""

import argparse
import json
import random
import sys
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from bench.corpus import read_corpora
from bench.forms import FORMS, SLIPS, with_slip
from bench.report import share, table
from bench.sentences import KINDS, TONGUES, altered, sentence
from voice.core.errors import VoiceError
from voice.core.grounding.extractive.evidence_sentences import proper_names
from voice.core.text.spans import locate
from voice.core.text.words import Word, words

Edit = Callable[[str, random.Random], str | None]
"""Returns the changed quotation, or None where there is nothing to change."""


def _replaced(text: str, word: Word, by: str) -> str:
    return text[: word.start] + by + text[word.end :]


def _typo(text: str, chance: random.Random) -> str | None:
    long_words = [w for w in words(text) if len(w.key) >= 6 and w.text.isalpha() and w.text.islower() and not w.is_stop]
    if not long_words:
        return None
    word = chance.choice(long_words)
    at = chance.randrange(1, len(word.text) - 2)
    return _replaced(text, word, word.text[:at] + word.text[at + 1] + word.text[at] + word.text[at + 2 :])


def _without_article(text: str, _: random.Random) -> str | None:
    found = words(text)
    article = next(
        (w for w, after in pairwise(found) if w.key in ("a", "the") and w.start and after.key not in ("few", "little")),
        None,
    )
    return None if article is None else text[: article.start] + text[article.end + 1 :]


def _elided(text: str, _: random.Random) -> str | None:
    found = words(text)
    if len(found) < 12:
        return None
    return f"{text[: found[4].end]} ... {text[found[-5].start :]}"


def _number(text: str, chance: random.Random) -> str | None:
    numbers = [w for w in words(text) if w.is_number and w.text.isdigit()]
    if numbers:
        return _replaced(text, numbers[0], str(int(numbers[0].text) + chance.choice((1, 10, 100))))
    return _one_of(text, chance, _NUMBER_WORDS)


_NUMBER_WORDS = (
    "two three four five six seven eight nine ten twelve twenty thirty forty fifty",
    "second third fourth fifth",
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "January February March April June July August September October November December",
)
_UNITS = (
    "minutes hours days weeks months years",
    "minute hour day week month year",
    "miles kilometers meters feet inches",
    "pounds kilos grams",
    "dollars euros cents",
)
_COMPARATIVES = (
    "more less",
    "before after",
    "older younger",
    "better worse",
    "earlier later",
    "bigger smaller",
    "longer shorter",
    "most least",
    "best worst",
    "first last",
    "always never",
    "until since",
    "easier harder",
)


def _one_of(text: str, chance: random.Random, families: Sequence[str]) -> str | None:
    """Return `text` with one word of a family exchanged for another of it, written as that was."""
    for word in words(text):
        for family in families:
            members = family.split()
            here = next((member for member in members if member.lower() == word.text.lower()), None)
            if here is not None:
                other = chance.choice([member for member in members if member != here])
                return _replaced(text, word, other if word.is_capital else other.lower())
    return None


def _negation(text: str, _: random.Random) -> str | None:
    for word in words(text):
        if word.key.endswith("n't") and len(word.key) > 3:
            return _replaced(text, word, word.text[:-3])
        if word.key in ("not", "never"):
            return text[: word.start] + text[word.end + 1 :]
        if word.key in ("is", "was", "are", "am", "have", "can", "will", "i'm", "it's"):
            return text[: word.end] + " not" + text[word.end :]
    return None


def _name(text: str, chance: random.Random) -> str | None:
    names = proper_names(text, words(text))
    others = [other for other in ("Robert", "Jasmine", "Lisbon", "Kyoto") if names and other != names[0].text]
    return _replaced(text, names[0], chance.choice(others)) if others else None


def _content(text: str, chance: random.Random) -> str | None:
    content = [w for w in words(text) if not w.is_stop and w.text.isalpha() and w.text.islower() and len(w.text) > 3]
    return (
        _replaced(text, chance.choice(content), chance.choice(("window", "teacher", "orange", "travel")))
        if content
        else None
    )


def _shuffled(text: str, chance: random.Random) -> str | None:
    pieces = text.split()
    return " ".join(chance.sample(pieces, len(pieces))) if len(pieces) >= 5 else None


EDITS: dict[str, Edit] = {
    "verbatim": lambda text, _: text,
    "upper case": lambda text, _: text.upper(),
    "zero-width and NFD": lambda text, _: unicodedata.normalize("NFD", "\u200b".join(text)),
    "no-break spaces, dashes, quotes": lambda text, _: text.translate(str.maketrans(" '-", "\u00a0’\u2011")),
    "trailing dots": lambda text, _: text.rstrip(".!?") + "...",
    "one typo": _typo,
    "one article dropped": _without_article,
    "elided middle": _elided,
    "number changed": _number,
    "negation flipped": _negation,
    "name swapped": _name,
    "unit changed": lambda text, chance: _one_of(text, chance, _UNITS),
    "comparative changed": lambda text, chance: _one_of(text, chance, _COMPARATIVES),
    "content word swapped": _content,
    "words shuffled": _shuffled,
}


def measure(texts: Sequence[str], seed: int = 7) -> dict[str, dict[str, float | int]]:
    """Return, for each edit, how many quotations were tried and the share that was located."""
    chance = random.Random(seed)
    result: dict[str, dict[str, float | int]] = {}
    for name, edit in EDITS.items():
        pairs = [(text, quote) for text in texts if (quote := edit(text, chance)) is not None and quote != ""]
        found = sum(locate(quote, text).status is not None for text, quote in pairs)
        result[name] = {"n": len(pairs), "located": round(found / len(pairs), 4) if pairs else 0.0}
    return result


def measure_generated(count: int, seed: int = 7) -> dict[str, dict[str, float | int]]:
    """Return the same for `count` generated sentences, each in a row between two others."""
    chance = random.Random(seed)
    tried: dict[str, list[bool]] = {}
    for number in range(count):
        tongue = TONGUES[number % len(TONGUES)]
        one, before, after = (sentence(chance, tongue) for _ in range(3))
        row = f"{before.text} {one.text} {after.text}"
        form = chance.choice(sorted(FORMS))
        quotes = {
            "any form": FORMS[form](one.text),
            "one slip": with_slip(one.text, chance, chance.choice(list(SLIPS))),
        }
        for kind in KINDS:
            facts = one.of_kind(kind)
            quotes[f"{kind} changed"] = altered(one, chance.choice(facts), chance) if facts else None
        for name, quote in quotes.items():
            if quote is not None and (quote not in row or not name.endswith("changed")):
                tried.setdefault(f"generated: {name}", []).append(locate(quote, row).status is not None)
    return {name: {"n": len(found), "located": round(sum(found) / len(found), 4)} for name, found in tried.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.quotes", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file")
    parser.add_argument("--turns", type=int, default=500, help="how many turns to quote")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        turns = [row.content for corpus in read_corpora(options.data) for row in corpus.rows if len(row.content) >= 40]
    except VoiceError as error:
        print(f"bench.quotes: {error}", file=sys.stderr)
        return error.exit_code
    result = measure(random.Random(1).sample(turns, min(options.turns, len(turns))))
    result |= measure_generated(options.turns)
    rows = [
        [name, str(figures["n"]), share(figures["located"], of=int(figures["n"]))] for name, figures in result.items()
    ]
    print(json.dumps(result, indent=1) if options.json else table(["quotation", "n", "located"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
