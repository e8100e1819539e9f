"""Everyday words that say the same.

Law: a group holds words that may stand for one another in a plain report of what somebody said; never opposites, never
degrees, never kinds of a thing (a dog is no pet here). A match through a group is worth less than the word itself. The
table is written for this project and small on purpose: a wrong group hides an invention.

Source: DESIGN 6 stage 3.
"""

from functools import lru_cache

from voice.core.text.stems import stem_of

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
company corporation; employee worker staff; boss manager supervisor; error mistake; test exam; rest relax; huge
massive enormous; begin launch open; old elderly ancient; famous renowned known popular; main primary major chief;
various several different many; various range variety; use application; build construct; area region zone; rule law;
country nation; kill murder slay; geburt geboren; gewicht wiegt wog gewogen; umzug umgezogen umziehen zieht zog; found
establish; own possess have; hold contain; call name; live alive
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
