"""Which words say the opposite of which: everyday pairs, in English and German.

Law: a pair is what a person would call opposites without thinking of the matter: cheap and expensive, before and after.
Of some pairs everything is the one or the other, as far as one talks of it at all: what is not open is closed. Of the
others nothing follows from a denial: who is not early need not be late.

Source: DESIGN 6 stage 4 (negation, opposites); ruling D1.
"""

from collections.abc import Sequence

from voice.core.text.stems import stem_of
from voice.core.text.words import fold_key

_EITHER_OR = [
    ("open opened", "close closed shut"),
    ("accept accepted", "reject rejected refuse refused decline declined"),
    ("married", "divorced single"),
    ("alive", "dead"),
    ("safe", "dangerous unsafe"),
    ("true", "false"),
    ("right correct", "wrong incorrect mistaken"),
    ("pass passed", "fail failed"),
    ("success succeed successful", "failure fail failed unsuccessful"),
    ("allow allowed permit", "forbid forbidden ban banned prohibit"),
    ("remember remembered", "forget forgot forgotten"),
    ("inside indoor indoors", "outside outdoor outdoors"),
    ("public", "private"),
    ("healthy", "sick ill unhealthy"),
    ("cheap cheaper inexpensive affordable", "expensive costly pricey dear"),
    ("easy easier simple", "hard difficult tough harder complicated"),
    ("quiet silent", "loud noisy"),
    ("dry", "wet damp"),
    ("clean", "dirty filthy"),
    ("awake", "asleep"),
    ("present", "absent"),
    ("temporary", "permanent"),
    ("interesting exciting", "boring dull"),
    ("guilty", "innocent"),
    ("locked", "unlocked"),
    ("same identical", "different"),
    ("agree agreed", "disagree disagreed"),
    ("keep kept", "delete deleted discard discarded"),
    ("sharp", "blunt dull"),
    ("sober", "drunk"),
    ("offen geöffnet", "geschlossen verschlossen"),
    ("billig billiger günstig preiswert", "teuer teurer kostspielig"),
    ("angenommen akzeptiert", "abgelehnt"),
    ("bestanden", "durchgefallen"),
    ("verheiratet", "ledig unverheiratet geschieden"),
    ("richtig", "falsch"),
    ("gesund", "krank"),
    ("leise ruhig", "laut"),
    ("einfach leicht", "schwierig schwer"),
    ("sauber", "schmutzig dreckig"),
    ("trocken", "nass"),
    ("wach", "eingeschlafen"),
    ("anwesend", "abwesend"),
    ("drinnen", "draußen"),
]
"""What is not the one is the other."""
_OPPOSITES = [
    ("increase rise grow gain improve", "decrease decline fall shrink lose worsen"),
    ("more most", "less fewer least fewest"),
    ("high higher highest", "low lower lowest"),
    ("big bigger biggest large larger largest", "small smaller smallest little tiny"),
    ("old older oldest", "young younger youngest"),
    ("old older", "new newer"),
    ("early earlier earliest", "late later latest"),
    ("before", "after"),
    ("always", "never rarely seldom"),
    ("often frequently", "rarely seldom"),
    ("first", "last"),
    ("buy bought purchase", "sell sold"),
    ("love like enjoy adore", "hate dislike detest despise"),
    ("happy glad excited thrilled", "sad unhappy upset miserable disappointed"),
    ("good great better best", "bad terrible worse worst awful"),
    ("win won", "lose lost"),
    ("start began begin started", "stop stopped end ended quit finish finished"),
    ("arrive arrived", "leave depart departed"),
    ("land landed", "depart departed"),
    ("hot warm hotter warmer", "cold cool colder cooler"),
    ("fast quick faster quicker", "slow slower"),
    ("near close nearby", "far distant"),
    ("man boy husband father dad son brother uncle", "woman girl wife mother mom daughter sister aunt"),
    ("north northern", "south southern"),
    ("east eastern", "west western"),
    ("up upstairs", "down downstairs"),
    ("strong stronger", "weak weaker"),
    ("rich", "poor"),
    ("hire hired", "fire fired"),
    ("morning", "evening night"),
    ("day", "night"),
    ("summer", "winter"),
    ("major", "minor"),
    ("positive", "negative"),
    ("benign", "malignant cancerous cancer"),
    ("calm relaxed", "stressed nervous anxious stressful"),
    ("empty", "full"),
    ("over above", "under below"),
    ("maximum most", "minimum least"),
    ("all every", "some few none"),
    ("with", "without"),
    ("heavy heavier", "light lighter"),
    ("thick thicker", "thin thinner"),
    ("bright brighter", "dim dark darker"),
    ("sweet", "sour bitter"),
    ("wide wider", "narrow narrower"),
    ("deep deeper", "shallow shallower"),
    ("ancient", "modern"),
    ("generous", "stingy"),
    ("polite", "rude"),
    ("lazy", "diligent hardworking"),
    ("brave", "cowardly"),
    ("arrival", "departure"),
    ("entrance", "exit"),
    ("profit", "loss"),
    ("find found", "lose lost"),
    ("früh früher", "spät später"),
    ("immer", "nie niemals"),
    ("kalt kälter", "warm heiß wärmer"),
    ("groß größer", "klein kleiner"),
    ("alt älter", "jung jünger neu neuer"),
    ("voll", "leer"),
    ("schnell schneller", "langsam langsamer"),
    ("gekauft kaufte", "verkauft verkaufte"),
    ("gewonnen gewann", "verloren verlor"),
    ("stark", "schwach"),
    ("hell", "dunkel"),
    ("mit", "ohne"),
]


def _table(pairs: Sequence[tuple[str, str]]) -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for left, right in pairs:
        for ours, theirs in ((left, right), (right, left)):
            for word in map(fold_key, ours.split()):
                others = {form for other in map(fold_key, theirs.split()) for form in (other, stem_of(other))}
                table.setdefault(stem_of(word), set()).update(others)
                table.setdefault(word, set()).update(others)
    return {stem: frozenset(others) for stem, others in table.items()}


OPPOSITE = _table([*_EITHER_OR, *_OPPOSITES])
"""By key and by stem: the keys and stems of the opposites."""
OR_ELSE = _table(_EITHER_OR)
"""The same of what holds where the other does not."""
