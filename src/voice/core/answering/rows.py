"""What a question calls the rows themselves.

Law: such a word is neither asked for in a row nor missed in it.

Source: ruling E.
"""

from typing import Final

from voice.core.text.wordlists import word_set

ROWS: Final = word_set(
    "thought thoughts note notes entry entries moment moments memory memories mention mentions message messages "
    "journal journals diary diaries gedanke gedanken notiz notizen eintrag einträge erinnerung erinnerungen "
    "erwähnung erwähnungen nachricht nachrichten tagebuch pensamiento pensamientos nota notas entrada entradas "
    "momento momentos recuerdo recuerdos mención menciones mensaje mensajes diario"
)
