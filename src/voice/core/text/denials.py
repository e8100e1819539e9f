"""Which words turn a statement around, in every language there is a table for.

Law: this is asked of words that a quotation leaves out, adds or changes, where the doubt is the quoter's: whatever may
deny, limit or unsay the rest counts, idioms included. Judging what a sentence denies is `negation`'s, which is careful
the other way.

Source: DESIGN 6 stage 2; ruling D1.
"""

from voice.core.text.negation import is_negator
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key, words

_DENYING = frozenset(
    map(
        fold_key,
        word_set(
            "kein keine keinen keinem keiner keines nicht nichts nie niemals niemand niemanden niemandem nirgends "
            "nirgendwo weder kaum ohne keinesfalls keineswegs mitnichten ungern "
            "no nunca jamás nada nadie ninguno ninguna ningún tampoco sin ni apenas "
            "ne pas jamais rien aucun aucune personne sans guère nulle "
            "non mai niente nulla nessuno nessuna senza neanche nemmeno "
            "não nunca nenhum nenhuma ninguém sem nem niet geen nooit niets niemand zonder "
            "δεν δε μην μη όχι ποτέ κανείς κανένας καμία τίποτα χωρίς ούτε "
            "не нет ни никогда ничего никто нельзя без nie nigdy nikt nic bez żaden ingen inte aldrig ikke aldri"
        ),
    )
)
_LIMITING = frozenset(
    map(
        fold_key,
        word_set(
            "only unless except almost nearly if might maybe perhaps supposedly allegedly was used tried refused "
            "denied doubted doubt failed forgot pretended stopped quit instead until avoid avoided wished wanted "
            "nur außer fast beinahe vielleicht angeblich falls wenn ob wäre würde hätte weigerte leugnete versuchte "
            "solo casi quizás excepto salvo si quizá seulement presque sauf peut-être "
            "μόνο σχεδόν ίσως εκτός αν только почти если кроме"
        ),
    )
)
_UNSPACED = late_pattern(
    r"[不没沒未无無勿莫]|别(?=[去来来说做买卖])|非(?!常)|拒绝|拒絕|否认|否認|如果|除非|几乎|幾乎"
    r"|ない|なかった|なく|ません|ずに|もし|안\s|못|않|없|아니"
)


def turns_around(text: str) -> bool:
    """Return whether `text` holds anything that reverses or limits what stands beside it."""
    return bool(_UNSPACED.search(text)) or any(denies(word) or word.key in _LIMITING for word in words(text))


def denies(word: Word) -> bool:
    """Return whether a word denies, in any language there is a table for; "Mai" is a month and no Italian "never"."""
    return is_negator(word) or (word.key in _DENYING and word.text != "Mai")
