"""The parts of a compound sentence, so that half a truth cannot carry the other half.

Law: a sentence is cut where a reader hears a second statement begin: at a semicolon or dash, before "but", "because",
"which" and their like, before an "and" that a verb follows, at a comma before a participle, an apposition or a further
clause. What is quoted or bracketed is never cut; a list of things is one part. Every part holds at least two telling
words, and the parts together are the sentence. How somebody took a thing ("and found it rewarding", "and felt proud")
is retold in words of one's own: the verb of taking is no telling word there. Nothing here is judged.

Source: DESIGN 6 stage 3 ("partly supported is unsupported"); ruling D1.
"""

from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

_FINITE = word_set(
    "am is are was were be been has have had do does did can could will would shall should may might must i'm he's "
    "she's it's they're we're you're i've i'd she'd he'd isn't aren't wasn't weren't don't doesn't didn't won't can't "
    "went goes came comes got gets made makes took takes gave gives said says told tells saw sees found finds left "
    "leaves kept keeps held holds ran runs met meets bought buys sold sells built builds wrote writes won wins lost "
    "loses felt feels thought thinks knew knows grew grows spoke speaks began begins broke breaks brought brings chose "
    "drew drove drives ate eats fell falls flew forgot heard hears hid hit hurt led leads let lives lived loves likes "
    "wants works paid pays put read rode rose sang sat sent sends set slept spent spends stood stands stole swam "
    "taught teaches threw tore wore wears woke costs cost plays plans hopes needs uses moves stays studies "
    "ist war sind waren hat hatte haben wird wurde kann es era fue está tiene"
)


def is_finite(word: Word) -> bool:
    """Return whether a word is, or looks like, a verb that states: "is", "bought", "moved"."""
    return word.key in _FINITE or (word.key.endswith("ed") and len(word.key) > 4)
