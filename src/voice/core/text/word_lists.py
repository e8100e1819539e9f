"""Stop words by language.

Law: stop words are per language, because one language's filler is another's topic ("war", "die", "hat"); negations are
stop words. They are left out of queries and measures, never of stored text.
Source: rulings E ("Keywords boost"), B16; DESIGN 5 ("stop words out of the query, any script"); ruling D1.
"""

import unicodedata
from collections.abc import Iterable
from typing import Literal

Language = Literal["en", "de", "es"]

_ENGLISH = """
a about above across after again against all almost along already also although always am among an and any anybody
anyone anything are aren't around as at away be became because become been before being below between both but by came
can can't cannot come could couldn't d did didn't do does doesn't doing don't done down during each either else
enough etc even ever every everybody everyone everything few for from further gave get gets getting give go goes going
gone got had hadn't has hasn't have haven't having he he'd he'll he's hence her here here's hers herself him himself
his how how's however i i'd i'll i'm i've if in indeed instead into is isn't it it'd it'll it's its itself just last
let let's ll m made make makes many may maybe me might more most much must my myself neither never no nobody none nor
not nothing now of off often oh ok okay on once one only onto or other others ought our ours ourselves out over own
per perhaps please quite rather re really s said same say says see seem seems shall she she'd she'll she's should
shouldn't since so some somebody someone something sometimes still such t take tell than thank thanks that
that's the their theirs them themselves then there there's therefore these they they'd they'll they're they've thing
things this those though through thus to together too toward towards under until up upon us ve very via was wasn't
way we we'd we'll we're we've well went were weren't what what's whatever when when's where where's whether which while
who who's whom whose why why's will with within without won't would wouldn't yes yet you you'd you'll you're you've
your yours yourself yourselves
"""

_GERMAN = """
ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim
bin bis bist bitte da dabei dadurch daher dafür damit dann daran darauf daraus darin darüber darum das dass dasselbe
davon dazu dein deine deinem deinen deiner deines dem den denen denn der deren des deshalb dessen dich die dies diese
diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einige einigen einiger einmal er es
etwa etwas euch euer eure eurem euren eurer für gab gar gegen geht gewesen gibt hab habe haben habt hat hatte hatten
hattest hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer in ins ist ja jede jedem jeden jeder
jedes jene jenem jenen jener jenes jetzt kann kannst kein keine keinem keinen keiner könnte konnte können könnt man
manche manchem manchen mancher mehr mein meine meinem meinen meiner meines mich mir mit muss musste müssen nach nein
nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seines seit selbst sich sie sind so
sogar solche solchem solchen solcher soll sollte sollten sondern sonst über um und uns unser unsere unserem unseren
unter viel viele vielen vom von vor wann war waren warst warum was wegen weil welche welchem welchen welcher welches
wem wen wenn wer werde werden werdet wessen weshalb wie wieder wieso wieviel will wir wird wirst wo wofür woher wohin
wollen wollte womit worden wozu wurde wurden während würde würden zeig zeige zu zum zur zwar zwischen
"""

_SPANISH = """
a acerca al algo alguien algún alguna algunas alguno algunos allí antes aquel aquella aquellas aquello aquellos aquí así
aun aún aunque cada casi como cómo con contra cosa cosas cual cuál cuales cuáles cualquier cuando cuándo cuanta cuánta
cuantas cuántas cuanto cuánto cuantos cuántos de del desde después dijo donde dónde durante e el él ella ellas ellos
en entonces entre era eran eras eres es esa esas ese eso esos está estaba estaban estado estamos están estar estas éstas
este éste esto estos estoy fue fueron fui ha había habían han has hasta hay he hemos la las le les lo los más me mi mí
mientras mío mis mucha muchas mucho muchos muestra muéstrame muy nada ni ningún ninguna ninguno no nos nosotros
nuestra nuestras nuestro nuestros nunca o os otra otras otro otros para pero poco por porque pues que qué quién quien
quienes quiénes se sea según ser si sí siempre sido sin sino sobre solo sólo son soy su sus también tampoco tan tanto te
tendrá tenemos tener tengo ti tiene tienen toda todas todavía todo todos tu tú tus un una unas uno unos usted ustedes va
vamos van vosotros voy y ya yo
"""

STOPWORDS: dict[Language, frozenset[str]] = {
    "en": frozenset(_ENGLISH.split()),
    "de": frozenset(_GERMAN.split()),
    "es": frozenset(_SPANISH.split()),
}
_APOSTROPHES = str.maketrans("\u2018\u2019\u201b\u02bc\uff07`\u00b4", "'''''''")  # each may be the "'" of "don't"


def fold_word(word: str) -> str:
    """Fold `word` as in the tables: NFC, casefold, straight apostrophes; keeps `'s`."""
    if word.isascii() and "`" not in word:  # "`" is ASCII and stands for an apostrophe
        return word.casefold()
    return unicodedata.normalize("NFC", word.translate(_APOSTROPHES)).casefold()


def is_stopword(word: str, language: Language = "en") -> bool:
    """Return whether `word` is a stop word, ignoring case and apostrophe form."""
    return fold_word(word) in STOPWORDS[language]


def guess_language(words: Iterable[str], default: Language = "en") -> Language:
    """Return the language with the most stop words; `default` unless another has strictly more."""
    folded = [fold_word(word) for word in words]
    counts: dict[Language, int] = {name: sum(word in table for word in folded) for name, table in STOPWORDS.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] > counts[default] else default


def word_set(*lines: str) -> frozenset[str]:
    """Split lines into a set of words."""
    return frozenset(word for line in lines for word in line.split())


def numbered_words(text: str, start: int = 1, step: int = 1) -> dict[str, int]:
    """Number the words of a text in order; synonyms stand between bars: `"january|jan february|feb"`."""
    return {word: start + step * place for place, synonyms in enumerate(text.split()) for word in synonyms.split("|")}
