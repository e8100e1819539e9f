"""The inflection-free form of an English word, fast.

Law: two forms of one word have one stem ("went", "goes" → "go"; "celebrated", "celebration" → "celebr"); a word and its
opposite never do ("hope", "hopeless"; "happy", "unhappy"). It serves comparison within one answer, and
the index, which keeps its hash: another rule here is another index format. It is never shown. A full Snowball pass
costs 100 µs a word in pure Python and knows no irregular verb; this costs 2.

Source: DESIGN 6 stage 3.
"""

from functools import lru_cache

from voice.core.text.patterns import late_pattern

_IRREGULAR_FORMS = """
be am is are was were been; go went gone goes going; have has had having; do does did done; say said; make made; take
took taken; come came; see saw seen; get got gotten; give gave given; find found; think thought; tell told; become
became; leave leaves left; feel felt; bring brought; begin began begun; keep kept; hold held; write wrote written; stand
stood; hear heard; mean meant; meet met; run ran; pay paid; sit sat; speak spoke spoken; lead led; grow grew grown;
lose lost; fall fell fallen; send sent; build built; understand understood; draw drew drawn; break broke broken; spend
spent; buy bought; sleep slept; win won; eat ate eaten; drive drove driven; teach taught; catch caught; choose chose
chosen; fly flew flown; forget forgot forgotten; know knew known; ride rode ridden; rise rose risen; sell sold; sing
sang sung; swim swam swum; throw threw thrown; wear wore worn; wake woke woken; fight fought; seek sought; steal stole
stolen; shake shook shaken; hide hid hidden; bite bit bitten; blow blew blown; drink drank drunk; ring rang rung; sink
sank sunk; shoot shot; strike struck; swear swore sworn; tear tore torn; lend lent; bend bent; deal dealt; dream
dreamt; learn learnt; burn burnt; lie lay lain; light lit; feed fed; child children; man men; woman women; person
people; foot feet; tooth teeth; mouse mice; wife wives; knife knives; half halves; good
better best; bad worse worst; show shown; freeze froze frozen; grandmother grandma granny nana; grandfather grandpa;
mother mom mum mommy; father dad daddy; photo photograph pic picture; family fam; movie film; kid kiddo; bike bicycle;
phone telephone; tv television; fridge refrigerator; buddy pal; gym gymnasium; math maths mathematics; ad advert
advertisement; use used using uses; die died dying; tie tied tying
"""
_IRREGULAR = {
    form: forms.split()[0] for forms in _IRREGULAR_FORMS.replace("\n", " ").split(";") for form in forms.split()
}
_KEEP = frozenset(
    [
        "news",
        "always",
        "series",
        "species",
        "business",
        "this",
        "his",
        "its",
        "bus",
        "gas",
        "yes",
        "us",
        "christmas",
        "perhaps",
        "paris",
        "texas",
    ]
)
_DERIVATIONS = (
    "fulness", "iveness", "ational", "ization", "isation", "ation", "ator", "ativ", "ment", "ness", "ingli", "fulli",
    "abl", "ibl", "ical", "alli", "anc", "enc", "ion", "iti", "iv", "iz", "is", "at", "ous", "ist", "ful", "ant", "ent",
    "er", "or", "li", "al", "ic",
)  # fmt: skip
"""Endings that make another word of the same family; written as they look after `_inflected` (e dropped, y as i)."""
_SHORT_OK = frozenset({"ness", "ful", "fulness", "fulli"})
_VOWEL = late_pattern("[aeiouy]")


@lru_cache(maxsize=65_536)
def stem_of(key: str) -> str:
    """Return the stem of a folded word; a word of another script, or with digits, is its own stem."""
    if len(key) < 3 or not key.isascii() or not key.isalpha() or key in _KEEP:
        return _IRREGULAR.get(key, key)
    key = _IRREGULAR.get(key, key)
    return _derived(_uninflected(key))


def _uninflected(key: str) -> str:
    """Return the word without plural, past or progressive ending, doubled or silent last letter."""
    if key.endswith(("ies", "ied")) and len(key) > 4:
        return key[:-2]
    if key.endswith("s") and not key.endswith(("ss", "us", "is")):
        key = key[:-2] if key.endswith(("sses", "shes", "ches", "xes", "zzes")) else key[:-1]
    for suffix in ("ing", "ed"):
        rest = key.removesuffix(suffix)
        if rest != key and len(rest) >= 3 and _VOWEL.search(rest):
            key = rest
            break
    return _smoothed(key)


def _derived(stem: str) -> str:
    if not stem.endswith(_DERIVATIONS):
        return stem
    for suffix in _DERIVATIONS:
        if stem.endswith(suffix) and len(stem) - len(suffix) >= (3 if suffix in _SHORT_OK else 4):
            return _smoothed(stem[: len(stem) - len(suffix)])
    return stem


def _smoothed(stem: str) -> str:
    """Return the stem without a doubled or silent last letter, so that "run", "running" and "hope", "hoping" meet."""
    if len(stem) > 3 and stem[-1] == stem[-2] and (stem[-1] not in "aeiouls" or (stem[-1] == "l" and len(stem) > 5)):
        stem = stem[:-1]
    if len(stem) > 2 and stem.endswith("e"):
        return stem[:-1]
    return stem[:-1] + "i" if len(stem) > 2 and stem.endswith("y") else stem
