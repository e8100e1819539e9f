"""Which words carry a fact: in their place any other of their kind says something else.

Law: one closed table. A number, a unit, a "not", a comparison, a "before", an "all" is never a matter of style: two of
one kind and of different value are two statements. What is in no kind may be style, a synonym, an inflection: that is
not decided here. Words of one line say the same.

Source: DESIGN 6 stages 2 and 4; ruling D1.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from voice.core.text.denials import denies
from voice.core.text.numbers import unit_named
from voice.core.text.slips import counts
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key

FactKind = Literal["negation", "unit", "number", "comparison", "order", "amount", "kin"]


class Fact(NamedTuple):
    """What kind of fact a word carries, and which one."""

    kind: FactKind
    value: str


_UNITS = """
m; drop drops; cup cups; spoon spoons; teaspoon teaspoons tsp; tablespoon tablespoons tbsp; degree degrees;
penny pence; century centuries; night nights;
sekunde sekunden; minute minuten; stunde stunden; tag tage tagen; woche wochen; monat monate monaten; jahr jahre jahren;
jahrzehnt jahrzehnte; meile meilen; gramm; pfund; zentner; tonne tonnen; franken; krone kronen; prozent; grad;
tropfen; löffel; tasse tassen;
δευτερόλεπτο δευτερόλεπτα; λεπτό λεπτά; ώρα ώρες; μέρα μέρες ημέρα ημέρες; εβδομάδα εβδομάδες; μήνας μήνα μήνες; χρόνος
χρόνο χρόνια έτος έτη; ευρώ; δολάριο δολάρια; λίρα λίρες; δραχμή δραχμές; μέτρο μέτρα; χιλιόμετρο χιλιόμετρα; μίλι
μίλια; κιλό κιλά; γραμμάριο γραμμάρια; λίτρο λίτρα;
segundo segundos; minuto minutos; hora horas; día días; semana semanas; mes meses; año años
"""
"""Measures beside those that `numbers` reads; what is measured must stand beside a number to be one."""
_COMPARISONS = """
more; less fewer; most; least fewest; higher; lower; highest; lowest; bigger larger; biggest largest; smaller;
smallest; older; younger elder; oldest eldest; youngest; newer; newest; taller; shorter; tallest; shortest; longer;
longest; earlier sooner; later; earliest soonest; latest; faster quicker; slower; fastest quickest; slowest; better;
worse; best; worst; cheaper; dearer costlier pricier; cheapest; dearest; stronger; weaker; strongest; weakest; heavier;
lighter; heaviest; lightest; richer wealthier; poorer; warmer; colder; cooler; hotter; warmest; coldest; hottest;
nearer closer; nearest closest; farther further; farthest furthest; easier; harder; easiest; hardest; happier; sadder;
louder; quieter; wider broader; narrower; deeper; shallower; thicker; thinner; brighter; darker; safer; healthier;
busier; greater; greatest; above over; below under;
mehr; weniger; älter; jünger; größer; kleiner; höher; niedriger; länger; kürzer; schneller; langsamer; früher; später;
besser; schlechter; billiger; teurer; stärker; schwächer; schwerer; leichter; wärmer; kälter; schöner; hässlicher;
περισσότερο περισσότερα; λιγότερο λιγότερα; μεγαλύτερη μεγαλύτερος μεγαλύτερο; μικρότερη μικρότερος μικρότερο; ψηλότερη
ψηλότερος; κοντότερη κοντότερος; νεότερη νεότερος; καλύτερη καλύτερος καλύτερο; χειρότερη χειρότερος χειρότερο;
大; 小; 高; 矮; 多; 少; 早; 晚; 快; 慢; 长; 短; 好; 坏
"""
_ORDERS = """
before ere prior; after afterwards following; until till; since; soon once; because; during; bevor ehe; nachdem; bis;
seit seitdem; sobald; weil; während; πριν; αφού; ώσπου μέχρι; μόλις; επειδή; 前; 后 後
"""
_AMOUNTS = """
all every each whole entire everybody everyone; some several multiple; few; many; most; half; none; both; always; often
frequently; sometimes occasionally; alle alles jeder jede jedes; einige manche; wenige; viele; immer; oft; manchmal;
όλα όλοι όλες; μερικά μερικοί μερικές; πάντα; συχνά
"""
_KIN = """
mother mom mum; father dad; stepmother; stepfather; sister; brother; stepsister; stepbrother; cousin; niece; nephew;
aunt; uncle; wife; husband; son; daughter; grandson; granddaughter; grandmother grandma; grandfather grandpa; daughters;
sons; sisters; brothers; widow; widower; fiancé; fiancée
"""
"""Whose relation somebody is: as telling as a name."""
_UNDONE = frozenset(
    map(
        fold_key,
        word_set(
            "ex non refuse refuses refused refusing deny denies denied denying fail fails failed failing decline "
            "declines declined neglected forgot forgets forgotten pretended pretends pretend hardly scarcely "
            "barely rarely seldom stopped stops quit avoided avoids weigerte weigerten leugnete αρνήθηκε"
        ),
    )
)
"""What is said not to be done, or not quite, although no "not" says so."""
NEARLY = frozenset(map(fold_key, word_set("almost nearly beinahe fast σχεδόν")))
"""What limits a deed to next to none and a number hardly at all."""
_SCALES = word_set("dozen dozens hundred hundreds thousand thousands million millions billion billions trillion")
"""What counts only behind another number, and may be all that differs in one."""
_HAN_NOT = frozenset("不没沒未无無勿莫")
_HAN_NUMERALS = frozenset("〇零一二三四五六七八九十百千万萬亿億两兩半")
_HAN_UNITS = frozenset("年月日天周秒分时時元磅镑美欧日克斤米里")


@lru_cache(maxsize=1)
def _table() -> dict[str, Fact]:
    kinds: Sequence[tuple[FactKind, str]] = (
        ("amount", _AMOUNTS),
        ("comparison", _COMPARISONS),
        ("order", _ORDERS),
        ("unit", _UNITS),
        ("kin", _KIN),
    )
    return {
        fold_key(word): Fact(kind, fold_key(group.split()[0]))
        for kind, groups in kinds
        for group in groups.split(";")
        for word in group.split()
    }


def fact_of(word: Word) -> Fact | None:
    """Return the fact that a word carries by itself, None when it carries none that the table knows.

    Numbers carry their letters as their value: whether two spellings are one number is for `numbers` to say.
    """
    key = word.key
    if denies(word) or key in _HAN_NOT:
        return Fact("negation", "not")
    if key in _UNDONE or key in NEARLY:
        return Fact("negation", "undone")
    if unit := unit_named(key):
        return Fact("unit", unit)
    if _HAN_NUMERALS.issuperset(key) or key in _SCALES or counts(key):
        return Fact("number", key)
    if key in _HAN_UNITS:
        return Fact("unit", key)
    return _table().get(key)


def is_han_numeral(char: str) -> bool:
    """Return whether a character is a digit of a number written in Chinese."""
    return char in _HAN_NUMERALS


def denied(found: Sequence[Word]) -> bool:
    """Return whether words deny on the whole: "did not refuse" does not, "refused" and "never" do."""
    said = [fact.value for word in found if (fact := fact_of(word)) is not None and fact.kind == "negation"]
    return ("not" in said) is not ("undone" in said)
