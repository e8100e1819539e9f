"""What German tells as forgotten, tried, planned or wanted, and which forms are of one verb.

Law: a deed behind "vergessen", "versucht", "geplant" ("…, den Brief zu schreiben") or "wollte" ("wollte das
Boot verkaufen") is not told as done; what was *not* forgotten is. Forms of a strong verb are one verb: who has
"geschrieben" did "schreiben". A verb stays one, whether its particle stands before it or at the end.

Source: DESIGN 6 stage 4; ruling D1.
"""

from collections.abc import Iterator

import regex

from voice.core.text.patterns import late_pattern
from voice.core.text.words import fold_key

_LEFT = r"vergessen|vergaß(?:en|t)?|vergiss(?:t|e)|versäum(?:t|te|ten|e|en)|unterlassen|unterließ(?:en)?"
_MEANT = (
    r"abgelehnt|geweigert|weiger(?:t|te|ten|e|n)|versuch(?:t|te|ten|e|en)|geplant|plan(?:t|te|ten|e|en)|vorgenommen"
    r"|vorgehabt|beabsichtig(?:t|te|ten|e|en)|beschlossen|beschloss(?:en)?|beschließ(?:t|e|en)|gehofft|hoff(?:t|te|ten|e|en)"
    r"|versprochen|versprach(?:en)?|versprich(?:t|st)|überleg(?:t|te|ten|e|en)|entschieden|gedenk(?:t|e|en)|wünsch(?:t|te)"
)
_DEED = r"(?:\bzu (?P<deed>\p{L}+)|\b(?P<split>\p{L}{1,20}zu\p{L}{1,30}en)\b)"
_AHEAD = late_pattern(
    rf"(?<!\b(?:nicht|nie|niemals) )\b(?:{_LEFT}|{_MEANT})\b[^.;:]{{0,160}}?{_DEED}"
    rf"|{_DEED},? (?:habe?|hat|hatten?|haben|hast) [^.;:,]{{0,40}}?(?<!\b(?:nicht|nie) )\b(?:{_LEFT}|{_MEANT})\b",
    regex.IGNORECASE,
)
_WILLED = late_pattern(
    r"\b(?:(?:woll|soll)(?:te|ten|en)|will|möcht(?:e|en)|würd(?:e|en)|werd(?:e|en)|wird|könnt(?:e|en))\b"
    r"[^.;:,]{0,160}? (?P<deed>\p{Ll}+n)\s{0,3}(?:[.;,!]|$)"
)
_STILL_MEANT = late_pattern(
    r"vergess?\w*|vergass\w*|vergiss\w*|versaum\w*|unterl[ai]\w*|abgelehnt|\w*weiger\w*|\w*versuch\w*|\w*plan\w*|woll\w*|will"
    r"|soll\w*|mocht\w*|wurde\w*|werde\w*|wird|konn\w*|beabsichtig\w*|vorgenommen|vorgehabt|vorhat\w*|beschl\w*|\w*hoff\w*"
    r"|verspr\w*|uberleg\w*|entsch\w*|gedenk\w*|wunsch\w*|absicht|ob|wenn|falls|zu"
)
"""Keys of words by which a claim keeps that the deed was only meant."""
_PARTICLES = (
    "ab|an|auf|aus|ein|mit|vor|zu|weg|zuruck|nach|her|hin|um|los|bei|fest|be|ver|er|ent|zer|unter|uber|wider|miss|"
)
_SPLIT = late_pattern(
    r"^(ab|an|auf|aus|ein|mit|vor|zu|weg|zuruck|nach|her|hin|um|los|bei|fest)(?:ge|zu)(?=\p{L}{3})"
    r"|^ge(?!h(?:e|st|t)|b(?:e|t)|winn|wann|niess|hor)"
)
_ENDING = late_pattern(r"(?<=\p{L}{3})(?:ten|te|en|et|e|n|t)$")
_SHORT_ENDING = late_pattern(r"(?<=\p{L}{3})(?:en|e)$")
_STRONG = """
schreib schrieb; bleib blieb; steig stieg; treib trieb; scheid schied; leih lieh; greif griff; reit ritt; schneid
schnitt; streich strich; flieg flog; schliess schloss; zieh zog; verlier verlor; bieg bog; biet bot; giess goss; bind
band bund; find fand fund; sing sang sung; trink trank trunk; spring sprang sprung; gewinn wonn gewann; schwimm schwamm
schwomm; beginn begann begonn; nehm nahm nomm nimm; sprech sprach sproch sprich; helf half holf hilf; treff traf troff
triff; werf warf worf wirf; brech brach broch brich; sterb starb storb; ess gess; geb gab gib; les las lies; seh sah;
tret trat tritt; mess mass miss; fahr fuhr; trag trug; lad lud; wasch wusch; schlag schlug; grab grub; fang fing; lass
liess; halt hielt; schlaf schlief; rat riet; ruf rief; lauf lief; stoss stiess; heb hob; geh gang ging; steh stand; komm
kam; bring bracht; denk dacht; kenn kannt; nenn nannt; renn rannt; brenn brannt; send sandt; sitz sass sess; lieg lag;
bitt bat bet; schieb schob; umzieh umzog
"""
_BASES = {form: one.split()[0] for one in _STRONG.replace("\n", " ").split(";") for form in one.split()[1:]}
_ABLAUT = late_pattern(rf"(?P<before>{_PARTICLES})(?P<form>{'|'.join(sorted(_BASES, key=len, reverse=True))})")


def undone_deeds(text: str) -> Iterator[str]:
    """Yield the cores of the verbs whose deeds a sentence tells as forgotten, tried, planned or wanted."""
    for match in (*_AHEAD.finditer(text), *_WILLED.finditer(text)):
        said = match.capturesdict()
        yield from (core_of(verb) for verb in (*said.get("deed", ()), *said.get("split", ())))


def keeps_the_will(key: str) -> bool:
    """Return whether a word of a claim says that a deed was only meant, or left."""
    return _STILL_MEANT.fullmatch(key) is not None


def core_of(word: str) -> str:
    """Return a German verb without what tells its forms apart ("abgeholt", "abzuholen"; "schrieb", "schreiben")."""
    whole = _SPLIT.sub(lambda match: match[1] or "", fold_key(word))
    forms = (whole, _SHORT_ENDING.sub("", whole), _ENDING.sub("", whole))
    found = next(filter(None, map(_ABLAUT.fullmatch, forms)), None)
    return found["before"] + _BASES[found["form"]] if found else forms[-1]
