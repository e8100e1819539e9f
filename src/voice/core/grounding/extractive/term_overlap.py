"""Lexical overlap of words and texts: stems, synonyms, near spellings.

Law: it is lexical and deterministic; a synonym or a near spelling counts as most of a match, and a word counts by how
telling it is (`voice.core.text.word_weights`).

Source: GROUNDING "hand v2".
"""

from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from voice.core.text.number_words import GERMAN, ONES, TENS
from voice.core.text.word_weights import word_weight
from voice.core.text.words import Word, stem_of

_GROUPS = """
start begin commence kick; end finish conclude complete; buy purchase acquire; job work employment occupation
profession; help assist support aid; love adore; like enjoy; important crucial vital essential key significant; hard
difficult tough challenging; happy glad joyful cheerful happiness joy; excited thrilled psyched stoked eager; sad
unhappy upset; scared afraid frightened fearful; angry mad furious; tired exhausted worn; amazing awesome fantastic
incredible wonderful great epic; beautiful gorgeous lovely pretty stunning; big large huge; small little tiny; fast
quick rapid; smart clever intelligent; trip journey travel vacation getaway; show display exhibit; talk chat
conversation speak discuss; tell inform; ask request; answer reply respond response; get receive obtain; give provide
offer; keep maintain continue; allow let permit enable; try attempt; use utilize employ; need require; want wish
desire; choose pick select decide; decide agree agreed; fix repair; make create build produce craft; join participate
attend; go attend visit; leave depart; live reside; meet encounter; see watch view; look seem appear; think consider
believe ponder; plan intend aim; know understand; remember recall remind; teach instruct educate; learn study; win
victory triumph; lose loss; grow expand increase; improve enhance better; change transform alter; inspire motivate
inspiration motivation encourage encouragement; proud pride; thankful grateful appreciate gratitude thanks; worry
concern anxious nervous; calm peaceful relax relaxed soothing serene tranquil; friend buddy pal mate; family relative;
kid child; house home; car vehicle automobile; city town; picture photo image snapshot photograph; movie film; song
music tune; store shop; business company firm; meal dinner lunch food; sick ill unwell; doctor physician; hurt injure
injury wound; die pass death; marry wed wedding marriage; fun enjoyable enjoy entertaining; special unique; nice kind;
good positive; bad negative terrible awful; sure certain; often frequently regularly; recently lately; currently
presently; soon shortly; near close nearby; idea thought concept; goal aim objective target dream aspiration; problem
issue trouble difficulty; reason cause; result outcome effect impact influence; part piece portion; group team crew;
event gathering occasion; contest competition tournament; award prize trophy; class course lesson; book novel; story
tale; gift present; skill ability talent; hobby pastime; passion enthusiasm passionate enthusiastic; strength power;
hope optimism optimistic; stress stressful pressure tension; memory reminiscence; experience undergo; share tell;
reward rewarding fulfilling satisfying; determine determined resolve; dedicate dedication commit commitment devote;
kindness compassion empathy; freedom liberty; wonder curious curiosity; bike cycle; road street; hike trek trail;
volunteer donate; money cash fund funds; cost price expense; cheap affordable inexpensive; expensive costly pricey;
company corporation; employee worker staff; boss manager supervisor; error mistake; test exam; rest relax; huge massive
enormous; begin launch open; old elderly ancient; famous renowned known popular; main primary major chief; various
several different many; various range variety; use application; build construct; area region zone; rule law; country
nation; kill murder slay; geburt geboren; gewicht wiegt wog gewogen; umzug umgezogen umziehen zieht zog; found
establish; own possess have; hold contain; call name; live alive; business biz; competition comp; tournament tourney;
skill skillz; family fam; conversation convo; video vid; birthday bday; vacation vacay; favorite fave fav favourite;
recommend rec advise suggest suggestion recommendation advice tip; probably prob; information info; application app;
university uni college; professor prof; celebration party celebrate; gratitude thank thankful thanks; congratulate
congrats congratulation; apologize sorry apology; encourage cheer root motivate push support; support back supportive
assist; challenge setback hurdle obstacle struggle difficulty tough; admire respect awe impress impressed; inspire
impress inspiration drive spark; value cherish treasure appreciate matter; prepare ready preparation prep; pursue chase
follow seek; search hunt seek look; promote advertise marketing market; showcase show display; collaborate team partner
collaboration together; host organize organise throw; advocate promote champion; symbolize symbolise represent stand
mean signify; focus concentrate prioritize; overcome beat conquer; adopt rescue; recover heal recovery healing; improve
boost enhance develop; develop grow build; advance progress advancement; accomplish achieve achievement accomplishment
milestone; reach achieve attain; consider ponder explore; explore discover; create write compose; draw sketch; paint
painting artwork; eager keen psyched excited; comfort soothe console; comfortable cozy comfy; stunning beautiful
breathtaking; surprised amazed astonished shocked; nervous scared anxious; tired drained; strange weird odd unusual;
funny hilarious humorous; delicious tasty yummy yum; dessert treat sweets; cook bake; eat dine; restaurant diner
eatery; apartment flat; furniture furnish; garden yard; beach shore coast seaside; woods forest; ocean sea; trail path
hike; puppy pup dog doggy; kitten cat kitty; relationship bond connection; bond connect; unity together togetherness;
community neighborhood neighbourhood; society community; donation donate contribute contribution; charity fundraiser;
career profession job; colleague coworker; salary pay wage; client customer; investor funding; hire employ recruit;
quit resign leave; shelter refuge; homeless homelessness; injury injured hurt; exercise workout; training train
practice rehearse; fitness shape; match game; player teammate; coach mentor guide; mentor guide advise; student pupil;
school class; lecture class; degree diploma; research study; science scientific; medicine medication drug pill;
hospital clinic; therapy counseling counselling; counselor therapist; feeling emotion emotional; outlook perspective
viewpoint; lively energetic vibrant; energy energize energetic; enthusiasm excitement excited; bravery courage brave
courageous; confident confidence; honest true authentic genuine real; authentic authentically; accept acceptance
embrace; include inclusive inclusivity inclusion; diverse diversity; equal equality; justice fair fairness; law legal;
government state; election vote; leader head chief; found start launch; release publish issue; publish print; author
writer; singer vocalist; perform performance play; concert gig show; album record; band group; actor star; director
filmmaker; script screenplay; character role; genre style type; type kind sort variety; scene view; landscape scenery
view; location place spot site venue; venue spot; town village; nearby near; worldwide global globally world; annual
yearly year; ancient old; modern contemporary; recent new latest; previous earlier former past last; following next
subsequent; nowadays today current; initially originally first; finally eventually lastly; approximately about roughly
around nearly; contain include comprise; consist comprise compose; total overall sum; amount quantity sum; usual
typical normal common; rare uncommon; entire whole complete full; extra additional further; additionally also;
therefore thus hence; require demand; ban prohibit forbid; allow permit; protect defend guard; attack assault; destroy
ruin wreck; damage harm; hurt harm; crash accident collision; airplane plane aircraft; flight fly; ship boat vessel;
trip roadtrip tour; luggage baggage; guest visitor; invite invitation; infant baby; teenager teen adolescent youth;
adult grownup; couple pair; wed married; pregnant expecting; bury funeral; murder homicide; thief robber burglar;
police cop officer; jail prison; soldier troop; weapon gun; battle fight combat; war conflict; peace calm; religion
faith; church chapel; pray prayer; rich wealthy; poor poverty; wealth fortune; debt loan; budget finance financial;
bill invoice; shopping shop; clothing clothes outfit apparel; cup mug; container box; device gadget; software program;
website site online; phone cell cellphone mobile; message text; email mail; photo selfie; camera photography; film
shoot; screen display; noise sound; quiet silent; loud noisy; bright brilliant; dark dim; cold chilly; hot warm heat;
storm hurricane; sunset dusk; dawn sunrise; evening night; earn salary wage income
"""


def synonyms_of(stem: str) -> frozenset[str]:
    """Return the stems that may stand for `stem`, without itself; empty for a word of no group."""
    return _neighbours().get(stem, frozenset())


@lru_cache(maxsize=1)
def _neighbours() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in _GROUPS.replace("\n", " ").split(";"):
        stems = {stem_of(word) for word in group.split()}
        for stem in stems:
            table.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in table.items()}


_NEAR_CREDIT = 0.8
_SYNONYM_CREDIT = 0.7
_NONE = frozenset[str]()


def _spellings() -> dict[str, frozenset[str]]:
    """Return the stems of each small number by every one of them: "5", "five", "funf"."""
    groups: dict[int, set[str]] = {}
    for word, value in (ONES | TENS | GERMAN).items():
        groups.setdefault(value, {str(value)}).add(stem_of(word))
    return {stem: frozenset(group) for group in groups.values() for stem in group}


_SPELT = _spellings()
"""What is the same number in words or in figures: "5 albums" are "five albums"."""


def overlap_share(content: Sequence[Word], held: frozenset[str]) -> float:
    """Return the share of the weight of `content` that the stems `held` hold, themselves, by synonym or nearly."""
    weights = {word.stem: word_weight(word.stem) for word in content}
    total = sum(weights.values())
    return sum(weight * match_credit(stem, held) for stem, weight in weights.items()) / total if total else 0.0


def match_credit(stem: str, pool: frozenset[str]) -> float:
    """Return how much of a match a stem finds in `pool`: itself 1, a synonym or a near spelling most of it, else 0."""
    if stem in pool or not _SPELT.get(stem, _NONE).isdisjoint(pool):
        return 1.0
    if synonyms_of(stem) & pool:
        return _SYNONYM_CREDIT
    beginning = stem[:3]
    return _NEAR_CREDIT if any(_is_near(stem, other) for other in pool if other.startswith(beginning)) else 0.0


def _is_near(stem: str, other: str) -> bool:
    """Return whether two stems of one beginning are spellings or derivations of one word; digits never are."""
    if min(len(stem), len(other)) < 4 or not (stem.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((stem, other), key=len)
    if len(shorter) >= 5 and longer.startswith(shorter) and not longer.endswith("less"):
        return True
    return Levenshtein.normalized_similarity(stem, other) >= 0.84
