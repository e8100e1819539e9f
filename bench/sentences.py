"""Sentences with their facts marked, in four languages: what the quotation and adversary benchmarks are made of.

Law: a sentence is a template and its slots; a slot's other values are other facts, never another way to say the same.
So every alteration is known to be one, whatever the words, and the same seed gives the same sentences. Names, places,
units and comparatives stand in families of look-alikes (Jon and John, km and mi, fourteen and forty), because the
near ones are the hard ones.
"""

import random
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

Kind = Literal["number", "negation", "name", "unit", "comparative"]
Tongue = Literal["en", "de", "el", "zh"]
KINDS: tuple[Kind, ...] = ("number", "negation", "name", "unit", "comparative")
TONGUES: tuple[Tongue, ...] = ("en", "de", "el", "zh")

_Drawn = Callable[[random.Random], str]


class Fact(NamedTuple):
    """A stretch of a sentence that states something, and what would be false in its place."""

    kind: Kind
    start: int
    end: int
    slot: str
    others: tuple[str, ...]
    """Empty where the slot is drawn: any other draw is false."""
    affirms: bool = True
    """False where the value denies what the first of its family says."""


class Sentence(NamedTuple):
    """A sentence and its facts, in order."""

    text: str
    tongue: Tongue
    facts: tuple[Fact, ...]

    def of_kind(self, kind: Kind) -> list[Fact]:
        """Return the facts of one kind."""
        return [fact for fact in self.facts if fact.kind == kind]


class _Language(NamedTuple):
    templates: tuple[str, ...]
    slots: Mapping[str, tuple[Kind, tuple[str, ...]]]


def sentence(chance: random.Random, tongue: Tongue = "en") -> Sentence:
    """Return one sentence of `tongue`."""
    language = _LANGUAGES[tongue]
    parts = chance.choice(language.templates).split("|")
    text, facts, used = "", list[Fact](), set[str]()
    for index, part in enumerate(parts):
        if index % 2 == 0:
            text += part
            continue
        kind, family = _family(language, part, chance)
        value = _value(part, family, chance, used)
        used.add(value)
        others = tuple(other for other in family if other != value)
        affirms = kind != "negation" or value == family[0]
        facts.append(Fact(kind, len(text), len(text) + len(value), part, others, affirms))
        text += value
    return Sentence(text, tongue, tuple(facts))


def altered(one: Sentence, fact: Fact, chance: random.Random) -> str:
    """Return the sentence with `fact` changed to what is false in its place."""
    now = one.text[fact.start : fact.end]
    other = now
    while other == now:
        other = chance.choice(fact.others) if fact.others else _near(fact.slot, now, chance)
    return one.text[: fact.start] + other + one.text[fact.end :]


def flipped(one: Sentence, fact: Fact, chance: random.Random) -> str:
    """Return the sentence with a negation put in or taken out; other facts are altered."""
    return altered(one, fact if fact.affirms else fact._replace(others=fact.others[:1]), chance)


_TOLD_BACK = {"I": "You", "My": "Your", "my": "your", "me": "you"}


def told_back(text: str) -> str:
    """Return an English note of the one who asks as an answer says it to them."""
    return " ".join(_TOLD_BACK.get(word, word) for word in text.split(" "))


def _family(language: _Language, slot: str, chance: random.Random) -> tuple[Kind, tuple[str, ...]]:
    if slot in _DRAWN:
        return "number", ()
    kind, families = language.slots[slot]
    return kind, tuple(chance.choice(families).split("/"))


def _value(slot: str, family: tuple[str, ...], chance: random.Random, used: set[str]) -> str:
    while (value := chance.choice(family) if family else _DRAWN[slot](chance)) in used:
        if family and used.issuperset(family):
            break
    return value


def _near(slot: str, now: str, chance: random.Random) -> str:
    """Return another draw, or the same with two digits swapped or one changed: the near ones are the hard ones."""
    places = [index for index, char in enumerate(now) if char.isdigit()]
    if chance.random() < 0.5 or not places:
        return _DRAWN[slot](chance)
    at = chance.choice(places)
    return now[:at] + str((int(now[at]) + chance.randrange(1, 10)) % 10) + now[at + 1 :]


def _clock(chance: random.Random) -> str:
    return f"{chance.randrange(1, 24)}:{chance.choice(('00', '15', '20', '30', '45', '50'))}"


def _amount(chance: random.Random) -> str:
    return f"{chance.randrange(1, 90)},{chance.randrange(100, 1000)}"


_DRAWN: Mapping[str, _Drawn] = {
    "n": lambda chance: str(chance.randrange(2, 400)),
    "amount": _amount,
    "decimal": lambda chance: f"{chance.randrange(1, 60)}.{chance.randrange(1, 10)}",
    "year": lambda chance: str(chance.randrange(1951, 2026)),
    "day": lambda chance: str(chance.randrange(1, 29)),
    "clock": _clock,
    "range": lambda chance: f"{(low := chance.randrange(2, 40))}-{low + chance.randrange(2, 30)}",
    "sum": lambda chance: f"{chance.choice('$€£')}{chance.randrange(5, 950)}",
    "degrees": lambda chance: f"{chance.choice(('', '-'))}{chance.randrange(1, 30)}",
    "percent": lambda chance: f"{chance.randrange(2, 99)}%",
}

_ENGLISH = _Language(
    (
        "|name| |denied| the |thing| from |name| in |place| for |amount| |money| in |year|.",
        "The |thing| in |place| costs |sum| a |span|, which is |compared| than |name| paid.",
        "|name| ran |decimal| |length| in the rain last |weekday|, |word| |spanned| |rank| than |name|.",
        "On |day| |month| |year| |name| |denied| the |thing|, and |name| was |mood| about it.",
        "My |kin| |name| is |age| than |name| and |lives| in |place| since |year|.",
        "It was |degrees| degrees when |name| left |place| at |clock|, |order| the |thing| was delivered.",
        "|name| told me that the |ordinal| meeting with |name| takes |range| |spanned| and starts at |clock|.",
        "About |percent| of the people in |place| |like| the |thing| that |name| made in |year|.",
        "The doctor gave |name| |n| |dose| of the syrup, |order| she |could| walk to the |thing| again.",
        "I |lent| |name| |word| |weight| of flour, |compared| than |name| had asked for.",
    ),
    {
        "name": (
            "name",
            (
                "John/Jon/Joan/Johan",
                "Anna/Anne/Hanna/Annie/Ana",
                "Maria/Marie/Mario/Mariah",
                "Robert/Roberta/Rupert/Roger",
                "Meyer/Meier/Maier/Mayer",
                "Caroline/Carolina/Carolyn/Coraline",
                "Mark/Marc/Marco/Mary",
                "Rose/Rosa/Ross/Rosie",
                "Bertil/Bertel/Birgit/Bruno",
                "Daniel/Daniela/Danielle/David",
                "Siobhan/Simon/Simone/Sean",
                "Jack/Jake/Jock/Jacky",
            ),
        ),
        "kin": ("name", ("sister/brother/cousin", "mother/father/stepmother", "wife/ex-wife/niece", "son/grandson")),
        "place": (
            "name",
            (
                "Lisbon/Leiria/London/Lyon",
                "Austria/Australia/Asturias",
                "Vienna/Verona/Varna",
                "Iran/Iraq/Ireland",
                "Södermalm/Östermalm/Norrmalm",
                "Paris/Parma/Porto",
            ),
        ),
        "thing": (
            "name",
            ("Saab/Seat/Skoda", "Fender/Gibson/Ibanez", "Bechstein/Blüthner/Bösendorfer", "Leica/Laika/Lumix"),
        ),
        "month": (
            "number",
            ("June/July/January", "March/May/August", "September/November/December/October", "April/February"),
        ),
        "weekday": ("number", ("Monday/Sunday/Friday", "Tuesday/Thursday/Saturday", "Wednesday/Thursday")),
        "word": (
            "number",
            (
                "fourteen/forty/four",
                "sixteen/sixty/six",
                "thirteen/thirty/three",
                "two dozen/a dozen/three dozen",
                "twenty-four/twenty-five/forty-two",
                "a million/a billion/a thousand",
                "seventeen/seventy/seven",
            ),
        ),
        "ordinal": (
            "number",
            ("first/second/third", "fifth/fifteenth/fiftieth", "ninth/nineteenth/ninetieth", "6th/16th/7th"),
        ),
        "money": ("unit", ("dollars/euros/pounds", "cents/euros/francs", "crowns/kronor/yen")),
        "span": ("unit", ("month/week/year", "day/year/month")),
        "spanned": ("unit", ("minutes/hours/seconds", "days/weeks/months", "minutes/months/hours")),
        "length": ("unit", ("kilometres/miles/metres", "km/m/miles", "feet/yards/metres")),
        "weight": ("unit", ("kilograms/grams/pounds", "kg/g/lbs", "ounces/pounds/grams")),
        "dose": ("unit", ("millilitres/litres/drops", "milligrams/micrograms/grams", "mg/ml/g", "spoons/drops/cups")),
        "compared": ("comparative", ("more/less", "cheaper/dearer", "higher/lower", "worse/better")),
        "rank": ("comparative", ("faster/slower", "earlier/later", "longer/shorter", "sooner/later")),
        "age": ("comparative", ("older/younger", "taller/smaller", "older/the oldest", "stronger/weaker")),
        "order": ("comparative", ("before/after", "until/since", "as soon as/long before")),
        "denied": (
            "negation",
            (
                "bought/did not buy/didn't buy/never bought/no longer bought",
                "sold/never sold/did not sell/refused to sell/almost sold",
                "found/didn't find/could not find/hardly found/failed to find",
            ),
        ),
        "mood": (
            "negation",
            ("happy/unhappy/not happy/never happy", "able/unable/not able", "sure/unsure/no longer sure"),
        ),
        "lives": (
            "negation",
            ("has lived/has not lived/hasn't lived/has never lived", "has worked/has no longer worked"),
        ),
        "like": ("negation", ("like/dislike/do not like/don't like", "agree with/disagree with/never agree with")),
        "could": ("negation", ("could/could not/couldn't/could no longer/could never", "can/can't/cannot")),
        "lent": ("negation", ("lent/never lent/did not lend/didn't lend", "gave/have not given/refused to give")),
    },
)
_GERMAN = _Language(
    (
        "|name| |denied| am |day|. |month| |year| die Wohnung in |place| für |n| |money|.",
        "Meine |kin| |name| ist |age| als |name| und wohnt seit |year| |negated| in |place|.",
        "Das Treffen beginnt um |clock| Uhr, |order| |name| aus |place| kommt, und dauert |word| |spanned|.",
        "Im |month| lief |name| |word| |length| in der Stadt und war |rank| als |name|.",
    ),
    {
        "name": (
            "name",
            ("Jörg/Jürg/Georg", "Anna/Anne/Hanna", "Käthe/Kathe/Käte", "Müller/Möller/Miller", "Uwe/Ulf/Udo"),
        ),
        "kin": ("name", ("Mutter/Mütter/Tochter", "Schwester/Schwägerin/Schwiegermutter")),
        "place": ("name", ("Köln/Kölln/Ulm", "Linz/Lienz/Leipzig", "Hamburg/Homburg/Bamberg")),
        "month": ("number", ("Juni/Juli/Januar", "März/Mai/August", "September/November/Dezember")),
        "word": ("number", ("vierzehn/vierzig/vier", "dreizehn/dreißig/drei", "einundzwanzig/neunundzwanzig/zwanzig")),
        "money": ("unit", ("Euro/Franken/Dollar", "Cent/Euro/Kronen")),
        "spanned": ("unit", ("Minuten/Stunden/Monate", "Tage/Wochen/Jahre")),
        "length": ("unit", ("Kilometer/Meter/Meilen",)),
        "age": ("comparative", ("älter/jünger", "größer/kleiner/großer", "älter/alter")),
        "rank": ("comparative", ("schneller/langsamer", "früher/später", "schöner/schon")),
        "order": ("comparative", ("bevor/nachdem", "ehe/weil")),
        "denied": (
            "negation",
            (
                "kaufte/kaufte nicht/kaufte nie/verkaufte",
                "wollte/wollte nicht/wollte keinesfalls",
                "mietete/vermietete",
            ),
        ),
        "negated": ("negation", ("gerne/ungern/nicht gerne/nicht mehr", "wieder/nie wieder/nicht wieder/kaum")),
    },
)
_GREEK = _Language(
    (
        "Ο |name| |denied| το σπίτι στην |place| στις |day| |month| |year| για |n| |money|.",
        "Η συνάντηση αρχίζει στις |clock|, |order| φτάσει η |woman|, και κρατάει |word| |spanned|.",
        "Η |woman| είναι |age| από τον |name| και |lives| στην |place| από το |year|.",
    ),
    {
        "name": ("name", ("Γιάννη/Γιώργο/Γιάννο", "Νίκο/Νικόλα/Κίμωνα", "Πέτρο/Παύλο/Πάρη")),
        "woman": ("name", ("Μαρία/Μαρίνα/Μάρω", "Ελένη/Έλενα/Ελίνα")),
        "place": ("name", ("Αθήνα/Αίγινα/Πάτρα", "Κρήτη/Κύπρο/Κέρκυρα")),
        "month": ("number", ("Ιουνίου/Ιουλίου/Ιανουαρίου", "Μαρτίου/Μαΐου/Αυγούστου")),
        "word": ("number", ("δεκατρία/δεκατέσσερα/τριάντα", "πέντε/πενήντα/δεκαπέντε", "έξι/επτά/εξήντα")),
        "money": ("unit", ("ευρώ/δολάρια/λίρες",)),
        "spanned": ("unit", ("λεπτά/ώρες/μήνες", "μέρες/εβδομάδες")),
        "age": ("comparative", ("μεγαλύτερη/μικρότερη", "ψηλότερη/ψηλή/κοντότερη")),
        "order": ("comparative", ("πριν/αφού", "μόλις/ώσπου να")),
        "denied": ("negation", ("αγόρασε/δεν αγόρασε/ποτέ δεν αγόρασε", "πούλησε/δεν πούλησε")),
        "lives": ("negation", ("μένει/δεν μένει/δε μένει/δεν μένει πια", "δουλεύει/δεν δουλεύει")),
    },
)
_CHINESE = _Language(
    (
        "|name|在|year|年|month|月|denied||place|的那套房子，花了|n|万|money|。",
        "|name|比|name||age|，从|year|年开始|lives|在|place|工作。",
        "会议在|clock|开始，持续了|word||spanned|，|name|在会议|order|离开了。",
    ),
    {
        "name": ("name", ("王伟/王薇/汪伟", "李娜/李娟/林娜", "张敏/章敏/张明")),
        "place": ("name", ("北京/南京/东京", "上海/上饶/海口")),
        "month": ("number", ("三/五/十二", "六/七/十", "一/二/十一")),
        "word": ("number", ("三/四/十三", "二十/三十/十二")),
        "money": ("unit", ("元/美元/日元", "欧元/英镑")),
        "spanned": ("unit", ("个小时/分钟/天", "个月/周/年")),
        "age": ("comparative", ("大/小", "高/矮")),
        "order": ("comparative", ("之前/之后", "前/后")),
        "denied": ("negation", ("买了/没买/不买", "卖了/没有卖/未卖")),
        "lives": ("negation", ("一直/从不/不再", "想/不想/没想")),
    },
)
_LANGUAGES: Mapping[Tongue, _Language] = {"en": _ENGLISH, "de": _GERMAN, "el": _GREEK, "zh": _CHINESE}
