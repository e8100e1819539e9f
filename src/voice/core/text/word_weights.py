"""How much a word tells of what a text is about, without a corpus.

Law: the weight of a word is a function of the word alone: two short tables of everyday English words (written for this
project, not counted from any corpus), and for all others the word's shape. So the same answer over the same evidence
always scores the same, on every machine and for every store.

Source: DESIGN 6 stage 3 (idf-weighted recall); promise 8.
"""

from functools import lru_cache

from voice.core.text.word_lists import word_set
from voice.core.text.words import stem_of

_EVERYDAY = word_set(
    "time year people way day man woman thing life child world school state family student group country problem hand "
    "part place case week company system program question work government number night point home water room mother "
    "area money story fact month right study book eye job word business issue side kind head house service friend "
    "father power hour game line end member law car city community name president team minute idea body information "
    "back parent face others level office door health person art war history party result change morning reason "
    "research girl guy moment air teacher force education foot boy age policy music market sense use know think look "
    "want give use find tell ask work seem feel try leave call good new first last long great little own old right big "
    "high different small large next early young important few public bad same able become show play run move like "
    "live believe hold bring happen write provide sit stand lose pay meet include continue set learn change lead "
    "understand watch follow stop create speak read allow add spend grow open walk win offer remember love consider "
    "appear buy wait serve die send expect build stay fall cut reach kill remain suggest raise pass sell require "
    "report decide pull better best sure real free full special nice happy hard easy possible whole main certain "
    "clear recent late single able need help start talk turn keep begin today tomorrow yesterday now soon later ago "
    "really actually pretty probably especially usually maybe never always again together almost enough ever "
    "different many more most another every much several two three around experience share enjoy support mention "
    "discuss describe plan visit travel trip eat drink food hear listen feel thought said told asked went came took "
    "made got found gave knew left kept began felt met ran sat wrote spent grew bought"
)
_COMMON = word_set(
    "accept access accident account achieve across act action active activity actor actual address admit adult advice "
    "afraid afternoon agency agent agree agreement ahead aim airport album amazing amount analysis animal answer "
    "anxious apartment app apple apply approach april argue arm army arrive article artist aspect assume attack "
    "attempt attend attention august aunt author available average avoid award aware awesome baby background bag ball "
    "band bank bar base baseball basic basketball bath battle beach bear beat beautiful beauty bed bedroom beer behave "
    "behind benefit bike bill bird birth birthday bit black blog blood blow blue board boat bone border born boss "
    "bother bottle bottom bowl box brain branch brand bread break breakfast breath bridge brief bright broad brother "
    "brown budget bug build building burn bus busy butter button cake camera camp campaign camping cancel cancer "
    "candidate capital card care career careful carry cash cat catch cause celebrate cell center central century "
    "chair challenge chance channel chapter character charge cheap check cheese chef chicken chief choice choose "
    "christmas church citizen civil claim class classic clean client climate climb clock close clothes cloud club "
    "coach coast coat code coffee cold collect collection college color colour comfort comfortable comment commit "
    "common compare compete competition complete complex computer concept concern concert condition conference "
    "confidence confirm connect connection contact contain content contest context contract contribute control "
    "conversation cook cool copy corner correct cost couch count counter couple courage course court cousin cover "
    "crazy cream creative crime crisis cross crowd cry culture cup current customer cycle dad daily damage dance "
    "danger dark data date daughter dead deal dear death debate debt december decision deep defense degree delay "
    "deliver demand department depend depression describe desert design desk despite detail determine develop "
    "development device diet difference difficult dig dinner direct direction director dirty disappear discover "
    "discovery discussion disease dish distance doctor document dog dollar double doubt draw drawing dream dress "
    "drive driver drop drug dry due dust duty earn earth east economic economy edge editor effect effort egg election "
    "electric else email emotion emotional employee empty encourage energy engage engine engineer environment equal "
    "equipment error escape establish evening event evidence exact exam example excellent excite excited exciting "
    "exercise exist expensive expert explain explore express expression extra factor fail failure fair faith fall "
    "false familiar famous fan fantastic far farm fashion fast fat favor favorite favourite fear feature february "
    "federal fee feed feedback feeling fellow festival field fight figure file fill film final finance financial "
    "finger finish fire fish fit fix flat flight floor flow flower fly focus folk foreign forest forget form formal "
    "former forward four frame freedom fresh friday friendly front fruit fuel fun fund funny furniture future gain "
    "gallery gap garden gas gather general generate gentle gift girlfriend glad glass global goal gold golf grab "
    "grade grand grandfather grandma grandmother grandpa grateful green greet ground guess guest guide guitar gun gym "
    "habit hair half hall handle hang hat hate health healthy heart heat heavy height hell hero hide highlight hike "
    "hiking hill hire historical hit hobby holiday honest honor hope horse hospital host hot hotel huge human hundred "
    "hunt hurt husband ice identify ignore illness image imagine impact import important impress improve incident "
    "income increase incredible indeed independent individual industry influence inform inside inspire inspired "
    "inspiring instance instead institution insurance intend interest interested interesting internet interview "
    "introduce invest investment invite involve island item january join joke journal journey joy judge juice july "
    "jump june junior keen key kick kid kind king kitchen knee knife knowledge lab labor lack lady lake land language "
    "late laugh launch lawyer lay lazy leader leadership leaf league lean leg legal lesson letter library lie lift "
    "light limit link lip list literature load loan local location lock london lonely loss lost loud lovely low luck "
    "lucky lunch machine mad magazine magic mail maintain major male manage management manager map march mark marriage "
    "married marry mass master match material matter meal mean measure meat media medical medicine medium meeting "
    "memory mental mention menu mess message metal method middle mile milk mind mine minister minor mirror miss "
    "mission mistake mix mobile model modern mom monday monitor mood moon motivate motivation mountain mouse mouth "
    "movement movie mum murder museum narrow nation national native natural nature near nearly neat necessary neck "
    "negative neighbor nervous network news newspaper nine noise normal north nose note notice november nurse object "
    "obvious occasion occur october odd offer officer official oil online operate operation opinion opportunity "
    "oppose option orange order ordinary organise organization organize original outdoor outside oven owner pack "
    "package page pain paint painter painting pair panel paper park partner party passion past path patient pattern "
    "peace people perfect perform performance period permit personal phone photo photography physical piano pick "
    "picnic picture piece pink pizza plane plant plastic plate player pleasant please pleasure pocket poem poet "
    "police political politics pool poor pop popular population position positive possible post pot potential pound "
    "practice prepare present press pressure prevent previous price pride primary print prison private prize problem "
    "process produce product production professional professor profit progress project promise promote proper "
    "property protect proud prove provide public publish pull purchase purpose push quality quarter queen quick quiet "
    "quit race radio rain raise random range rare rate reach react reader ready reality realize reason receive recent "
    "recipe recognize recommend record recover red reduce refer reflect refuse region regular relate relationship "
    "relax release relief religion rely remind remote remove rent repair repeat replace reply represent request "
    "rescue reserve resource respect respond response responsible rest restaurant return reveal review rich ride ring "
    "rise risk river road rock role roll roof root round route routine row rule rush sad safe safety salad salary "
    "sale salt sample sand saturday save scale scared scene schedule science scientist score screen script sea search "
    "season seat second secret section secure security seek select send senior sense separate september series "
    "serious session settle seven sex shake shape sharp sheet shelf shelter shine ship shirt shock shoe shoot shop "
    "shopping short shot shoulder shout shower shut sick sight sign signal silence silver similar simple sing singer "
    "sister site situation six size skill skin sky sleep slow smart smell smile smoke smooth snow social society soft "
    "software soil soldier solid solution solve son song sort soul sound soup source south space spare spread spring "
    "staff stage stair star statement station status step stick stomach stone store storm strange strategy stream "
    "street strength stress stretch strike string strong structure struggle studio stuff stupid style subject succeed "
    "success successful sudden suffer sugar suit summer sun sunday sunset super supply surface surgery surprise "
    "survey survive sweet swim swimming table tale talent target task taste tax tea teach tear technical technique "
    "technology teenager television tell ten tennis term test text thank theater theory therapy thick thin third "
    "thought thousand threat throw thursday ticket tie tight tip tired title tone tool tooth top topic total touch "
    "tough tour tourist tournament toward tower town toy track trade tradition traditional traffic train training "
    "transfer transport treat treatment tree trial trick trouble truck true trust truth tuesday type typical uncle "
    "understand unique unit university update upset urban useful user usual vacation value variety vegetable vehicle "
    "version victory video view village violence virtual vision voice volume volunteer vote wake wall warm wash waste "
    "wave weak wealth wear weather web website wedding wednesday weekend weight weird welcome west wet wheel white "
    "wide wife wild win wind window wine winner winter wise wish wonder wonderful wood worker workshop worry worse "
    "worth wrong yard yellow yoga youth zone"
)


HEAVIEST = 5.0
"""The weight of the rarest word."""


@lru_cache(maxsize=1)
def _stems() -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of both tables; made at the first question, not at import."""
    return frozenset(map(stem_of, _EVERYDAY)), frozenset(map(stem_of, _COMMON))


@lru_cache(maxsize=65_536)
def word_weight(stem: str) -> float:
    """Return how telling a word is, given its stem: 1.5 for an everyday word, up to 5 for a rare or numeric one."""
    everyday, common = _stems()
    if stem in everyday:
        return 1.5
    if stem in common:
        return 2.5
    if any(char.isdigit() for char in stem):
        return 4.0
    if len(stem) <= 2:
        return 2.5
    return min(HEAVIEST, 3.2 + 0.15 * len(stem))


def is_common_word(key: str) -> bool:
    """Return whether `key` is an everyday English word, in any common inflection."""
    everyday, common = _stems()
    stem = stem_of(key)
    return key in _EVERYDAY or key in _COMMON or (key != stem and (stem in everyday or stem in common))
