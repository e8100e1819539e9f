"""Common first names that tell whether a woman or a man is meant.

Law: a name that both may bear, or that is in neither table, tells nothing. The tables only ever make a pronoun's
meaning more certain or less; they decide nothing by themselves.

Source: ruling D1.
"""

from voice.core.text.wordlists import word_set

WOMEN = word_set(
    "ada alice amanda amelia amy angela anita ann anna anne annie audrey barbara beatrice bella betty brenda "
    "carol carolina caroline catherine charlotte christina christine claire clara daisy deborah debra diana donna "
    "doris dorothy edith eleanor elena elisa elise elizabeth ella ellen emily emma erica eva evelyn fiona florence "
    "frida gina gloria grace hannah heather heidi helen helena ida inês ines ingrid irene iris isabel isabella jane "
    "janet janice jasmine jenna jennifer jessica joanna josephine joyce judith judy julia julie karen kate "
    "katherine kathleen katie laura lea lena lily linda lisa louise lucia lucy luisa maja margaret maria marie marta "
    "martha mary matilda megan melanie melissa mia michelle miriam monica nadia nancy natalie nicole nina nora olga "
    "olivia pamela patricia paula petra priya rachel rebecca rita rosa rose ruth sabine samantha sandra sara sarah "
    "sharon silvia sofia sonia sophia sophie stella stephanie susan susanna tanja teresa theresa tina ursula vanessa "
    "vera victoria virginia wendy yvonne zoe"
)
MEN = word_set(
    "aaron adam adrian alan albert alexander andreas andrew anthony anton antonio arthur ben benjamin bernd brian "
    "bruce calvin carl carlos charles christian christopher daniel dave david dennis diego dieter donald douglas "
    "edgar edward emil eric erik ernst eugene felix finn francis frank fred frederick gary george gerald gerhard "
    "gregory hans harold harry heinz henrik henrique henry hugo ivan jack jacob jakob james jason jeff jeffrey "
    "jens jeremy jerry joe john jon jonas jonathan jorge jose josé joseph joshua juan jürgen justin karl keith "
    "kenneth kevin klaus larry lars leo leon liam louis luca lucas luis lukas marco marcus mario mark markus martin "
    "matteo matthew max michael miguel nate nathan nicholas noah oliver oscar otto pablo patrick paul pedro peter "
    "philip ralf ralph raymond richard robert roger ronald rudolf ryan samuel scott sean sebastian simon stefan "
    "stephen steven theo thomas tim timothy tobias tom uwe victor vincent walter werner wilhelm william wolfgang"
)


def is_first_name(word: str) -> bool:
    """Return whether a word, in any case, is one of these names."""
    key = word.casefold()
    return key in WOMEN or key in MEN
