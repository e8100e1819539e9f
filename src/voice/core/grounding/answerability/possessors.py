"""To whom a sentence gives a noun: "Marta's husband", "the landlord of the workshop", "my boss", "her number".

Law: only nouns of a closed list are looked at: relations, roles, what people own, ways to reach them. Whose such a noun
is stands right before it (a possessive, a pronoun) or right behind it ("of …"; of a role also "at" and "for …"). Words
of one line of the list stand for each other.

Source: ruling D5 ("evidence about another does not count").
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import regex

from voice.core.grounding.answerability.passages import Passage
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key

_KIN = """
husband spouse hubby married marry marries marrying mann ehemann gatte marido esposo verheiratet wed heiratete
geheiratet casado casada;
wife spouse married marry marries marrying frau ehefrau gattin esposa mujer verheiratet wed heiratete geheiratet
casado casada;
spouse husband wife married marry marries; boyfriend; girlfriend; partner;
fiancé fiance engaged; fiancée fiancee engaged;
mother mom mum mama mutter mamma madre; father dad papa vater padre; parents mother father mom dad eltern padres;
sister sisters schwester hermana; brother brothers bruder hermano; siblings sister sisters brother brothers sibling;
son sons sohn hijo; daughter daughters tochter hija; child children kid kids son sons daughter daughters;
aunt tante tía; uncle onkel tío; cousin cousins cousine prima primo; niece nichte sobrina; nephew neffe sobrino;
grandmother grandma granny oma großmutter abuela; grandfather grandpa granddad opa großvater abuelo;
grandson; granddaughter; roommate flatmate mitbewohner
"""
_ROLES = """
boss manager supervisor chef chefin vorgesetzter vorgesetzte jefe jefa reports; manager boss supervisor chef jefe;
landlord landlady vermieter vermieterin casero casera; tenant mieter mieterin;
dentist zahnarzt zahnärztin dentista; doctor gp physician arzt ärztin hausarzt médico; vet tierarzt tierärztin;
therapist; lawyer anwalt anwältin abogado; accountant steuerberater contable; assistant assistentin assistent;
contact kontakt ansprechpartner ansprechpartnerin contacto; teacher lehrer lehrerin; coach trainer; plumber; mechanic;
neighbour neighbor neighbours neighbors nachbar nachbarin vecino vecina
"""
_THINGS = """
car auto wagen coche drives; bike bicycle fahrrad rad bicicleta; dog hund perro puppy; cat katze gato kitten;
phone telephone mobile handy telefon teléfono number; laptop; boat boot barco;
number telephone phone mobile nummer telefonnummer handynummer número; email mail e-mail;
birthday geburtstag born geboren birth cumpleaños; surname nachname apellido; salary gehalt sueldo
"""
_Nouns = Mapping[str, frozenset[str]]


def _nouns(text: str) -> _Nouns:
    """Return each noun that heads a line, with all words of its line: what stands for it in a sentence."""
    groups = [[fold_key(word) for word in group.split()] for group in text.split(";")]
    said = {group[0]: frozenset(group) for group in groups}
    for group in groups:
        for word in group[1:]:
            said.setdefault(word, frozenset(group))
    return said


OF_PEOPLE = _nouns(_KIN)
OF_ROLES = _nouns(_ROLES)
OF_ANYBODY: _Nouns = {**_nouns(_THINGS), **OF_ROLES, **OF_PEOPLE}
_OF_WEDDING = word_set("married marry marries marrying engaged wed verheiratet heiratete geheiratet casado casada")
VERBS = frozenset(map(fold_key, _OF_WEDDING | word_set("reports drives born geboren")))
"""Verbs that stand for a noun in a sentence; a question that holds one of them asks for nothing by it."""
COUNTING = word_set("number")
"""What is "of" a thing only counts it: "the number of guests"."""
MINE = frozenset(
    map(fold_key, word_set("my our mein meine meinen meinem meiner unser unsere unseren unserem mi nuestro"))
)
_YOURS = word_set("your dein deine ihr")
HERS = word_set("her ihr ihre ihren ihrem")
HIS = word_set("his sein seine seinen seinem")
THEIRS = word_set("their its su sus deren dessen") | HERS | HIS
OF = word_set("of von de del der des")
BY_PLACE = word_set("at for from bei für with in")
"""What ties a role to a firm or a place: "our contact at Veltron"."""
_DETERMINERS = word_set("the a an this that den dem die das el la los")
ADJECTIVES = 3
"""Words that may stand between an owner and the noun: "Marta's new mobile phone"."""
_NO_OWNER = word_set("what's who's where's that's it's let's there's here's how's when's he's she's today's tonight's")
_HINTS = {
    noun: late_pattern(rf"\b(?:{said})\b", regex.IGNORECASE)
    for noun, said in {
        "boss": r"report(?:s|ed|ing)? to|team ?lead(?:er)?|line manager|work(?:s|ed|ing)? (?:for|under)(?= \p{Lu})"
        r"|teamleiter(?:in)?",
        "salary": r"earn(?:s|ed|ing)?|wages?|income|verdien(?:e|t|te|st)|einkommen|lohn|gano|gana",
        "landlord": r"rent(?:s|ed)? (?:it|us|me|the|a|my|our)|vermietet",
        "dentist": r"tooth|teeth|zahn|zähne",
        "dog": r"beagle|labrador|poodle|terrier|dachshund|retriever|collie|spaniel|bulldog|pug|dackel|pudel"
        r"|schäferhund",
        "cat": r"tomcat|tabby|siamese|kater",
        "car": r"volvo|volkswagen|vw|audi|bmw|mercedes|ford|fiat|opel|skoda|škoda|renault|peugeot|citro[eë]n|toyota"
        r"|honda|hyundai|mazda|nissan|porsche|saab|tesla",
    }.items()
}
"""What says as much as a noun where nobody has the noun itself: kinds, makes, what one does."""
_TITLES = word_set("frau")
"""Nouns that stand before anybody's name."""
OWNED = late_pattern(r"(?:['’]s|(?<=[sS])['’])$")


class Possessor(NamedTuple):
    """To whom a sentence gives a noun."""

    by: Literal["name", "mine", "yours", "pronoun", "nobody"]
    keys: tuple[str, ...] = ()
    is_person: bool = True


_UNSTATED = Possessor("nobody")


def are_alike(ours: str, theirs: str) -> bool:
    """Return whether two nouns name the same one: each stands for the other, as "mum" and "mother" do."""
    if ours in _TITLES or theirs in _TITLES:
        return ours == theirs
    return theirs in OF_ANYBODY.get(ours, ()) and ours in OF_ANYBODY.get(theirs, ())


def is_title(found: Sequence[Word], index: int) -> bool:
    """Return whether a noun only stands before a name: "Frau Adler", not "meine Frau Eva"."""
    return found[index].key in _TITLES and not (index and found[index - 1].key in MINE)


def hint_at(noun: str, passage: Passage) -> Word | None:
    """Return the word of a sentence that says as much as a listed noun without naming it; None without one."""
    said = next((hint for lead, hint in _HINTS.items() if lead in OF_ANYBODY[noun]), None)
    found = said.search(passage.text) if said else None
    return next((word for word in passage.words if found and word.start <= found.start() < word.end), None)


def possessors_of(passage: Passage, noun: Word) -> Iterator[Possessor]:
    """Yield to whom a sentence gives a noun: by what stands before it, and by what stands behind it."""
    found = passage.words
    at = found.index(noun)
    sides = [side for side in (_owner_before(passage, found, at), _owner_behind(found, at)) if side]
    yield from sides or [_UNSTATED]


def _owner_before(passage: Passage, found: Sequence[Word], at: int) -> Possessor | None:
    for index in range(at - 1, max(-1, at - 2 - ADJECTIVES), -1):
        word = found[index]
        if passage.text[word.end : found[index + 1].start].strip(" '’"):
            return None
        if is_possessive(passage.text, word):
            owner = name_up_to(passage.text, found, index)
            is_person = word.is_capital or word.key in OF_ANYBODY
            return Possessor("name", tuple(one.key for one in owner), is_person)
        if (by := _by_pronoun_of(word)) is not None:
            return Possessor(by)
        if word.is_stop or word.is_capital:
            return None
    return None


def _by_pronoun_of(word: Word) -> Literal["mine", "yours", "pronoun"] | None:
    if word.key in MINE:
        return "mine"
    if word.key in THEIRS:
        return "pronoun"
    return "yours" if word.key in _YOURS else None


def _owner_behind(found: Sequence[Word], at: int) -> Possessor | None:
    """Return whose a noun is by what follows it: "the landlord of the workshop", "a contact at Veltron"."""
    after = at + 2 if at + 1 < len(found) and found[at + 1].key == "person" else at + 1
    if after + 1 >= len(found) or found[at].key in COUNTING:
        return None
    is_of = found[after].key in OF
    if not is_of and not (found[at].key in OF_ROLES and found[after].key in BY_PLACE):
        return None
    if found[after + 1].key == "mine":
        return Possessor("mine")
    owner = phrase_at(found, after + 1)
    return Possessor("name", tuple(word.key for word in owner), owner[0].is_capital and is_of) if owner else None


def is_possessive(text: str, word: Word) -> bool:
    """Return whether a word of `text` owns what follows it: "Marta's", "Jonas'"; not "what's"."""
    if word.text.lower().replace("’", "'") in _NO_OWNER:
        return False
    return OWNED.search(text[word.start : word.end + 1].rstrip()) is not None


def name_up_to(text: str, found: Sequence[Word], index: int) -> Sequence[Word]:
    """Return the owner that ends at `index`: a name with what stands before it in capitals."""
    start = index
    while start and found[index].is_capital and _goes_on(text, found[start - 1], found[start]):
        start -= 1
    return found[start : index + 1]


def _goes_on(text: str, before: Word, after: Word) -> bool:
    return before.is_capital and not before.is_stop and text[before.end : after.start] == " " and not before.is_number


def phrase_at(found: Sequence[Word], start: int) -> Sequence[Word]:
    """Return what follows "of the": a name in capitals, or one noun; nothing where another phrase owns it."""
    while start < len(found) and (found[start].key in _DETERMINERS or found[start].key in MINE):
        start += 1
    end = start
    while end < len(found) and not found[end].is_stop and not found[end].is_number:
        if end > start and not (found[end].is_capital and found[start].is_capital):
            break
        end += 1
    return () if any(word.text.endswith(("'s", "’s")) for word in found[start:end]) else found[start:end]
