"""German and Spanish: the same meanings behind other words."""

from datetime import UTC, datetime

import pytest

from voice.core.nlq.parse import TABLES, parse_query
from voice.core.nlq.parsed_query import NlqSettings
from voice.core.nlq.phrase_tables.table import PhraseTable

NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)
_GROUPS_USED = ("phrase", "bare", "owner", "alone", "ahead")


def meaning(question: str, language: str) -> tuple[str | None, str | None]:
    window = parse_query(question, now=NOW, timezone="UTC", settings=NlqSettings(language=language)).window  # pyright: ignore[reportArgumentType]
    if window is None:
        return None, None
    edges = (window.start, window.end)
    start, end = (edge and edge.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00") for edge in edges)
    return start, "now" if window.end == NOW else end


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("heute", "2025-03-12", "2025-03-13"),
        ("vorgestern", "2025-03-10", "2025-03-11"),
        ("an Heiligabend", "2024-12-24", "2024-12-25"),
        ("Silvester 2023", "2023-12-31", "2024-01-01"),
        ("an Neujahr", "2025-01-01", "2025-01-02"),
        ("vor zwei Wochen", "2025-02-26", "2025-02-27"),
        ("vor ein paar Tagen", "2025-03-10", "2025-03-11"),
        ("letzte Woche", "2025-03-03", "2025-03-10"),
        ("im letzten Monat", "2025-02-01", "2025-03-01"),
        ("dieses Jahr", "2025-01-01", "2026-01-01"),
        ("vorletzte Woche", "2025-02-24", "2025-03-03"),
        ("in den letzten drei Tagen", "2025-03-09", "now"),
        ("seit dem 3. März", "2025-03-03", "now"),
        ("ab Montag", "2025-03-10", "now"),
        ("nach dem 3. März", "2025-03-04", "now"),
        ("vor dem 3. März", None, "2025-03-03"),
        ("bis Freitag", None, "2025-03-08"),
        ("vom 3. März bis zum 5. März", "2025-03-03", "2025-03-06"),
        ("vom 3. bis 5. März", "2025-03-03", "2025-03-06"),
        ("zwischen Januar und Februar", "2025-01-01", "2025-03-01"),
        ("am Freitag gesagt", "2025-03-07", "2025-03-08"),
        ("am letzten Freitag", "2025-03-07", "2025-03-08"),
        ("am Dienstag letzter Woche", "2025-03-04", "2025-03-05"),
        ("letzte Woche am Dienstag", "2025-03-04", "2025-03-05"),
        ("am Montagmorgen", "2025-03-10T05:00", "2025-03-10T12:00"),
        ("am Montag Abend", "2025-03-10T17:00", "2025-03-10T22:00"),
        ("gestern Abend", "2025-03-11T17:00", "2025-03-11T22:00"),
        ("gestern um 15:00 Uhr", "2025-03-11T15:00", "2025-03-11T16:00"),
        ("gestern um 15 Uhr", "2025-03-11T15:00", "2025-03-11T16:00"),
        ("morgen früh", "2025-03-13T05:00", "2025-03-13T12:00"),
        ("letzte Nacht", "2025-03-11T22:00", "2025-03-12T05:00"),
        ("im März 2024", "2024-03-01", "2024-04-01"),
        ("im Jahr 2023", "2023-01-01", "2024-01-01"),
        ("am 5.3.2024", "2024-03-05", "2024-03-06"),
        ("am Mittwoch, dem 5. März", "2025-03-05", "2025-03-06"),
        ("Anfang März", "2025-03-01", "2025-03-11"),
        ("Ende 2024", "2024-09-01", "2025-01-01"),
        ("im ersten Quartal 2024", "2024-01-01", "2024-04-01"),
        ("in der ersten Hälfte des Jahres 2023", "2023-01-01", "2023-07-01"),
        ("im Sommer 2023", "2023-06-01", "2023-09-01"),
        ("im Sommer", "2024-06-01", "2024-09-01"),
        ("am Wochenende", "2025-03-08", "2025-03-10"),
        ("letztes Wochenende", "2025-03-08", "2025-03-10"),
        ("am 5. Okt. 2023", "2023-10-05", "2023-10-06"),
        ("im Okt. 2023", "2023-10-01", "2023-11-01"),
        ("vor einundzwanzig Tagen", "2025-02-19", "2025-02-20"),
        ("seit zwei Wochen", "2025-02-26", "now"),
        ("seit Ende letzten Jahres", "2025-01-01", "now"),
        ("vor Ende Februar", None, "2025-03-01"),
        ("bis einschließlich Februar 2025", None, "2025-03-01"),
        ("im zweiten Halbjahr 2023", "2023-07-01", "2024-01-01"),
        ("gestern Abend um 20 Uhr", "2025-03-11T20:00", "2025-03-11T21:00"),
        ("gestern zwischen 14 und 16 Uhr", "2025-03-11T14:00", "2025-03-11T16:00"),
        ("in der Woche vom 5. März", "2025-03-03", "2025-03-10"),
    ],
)
def test_german(phrase: str, start: str | None, end: str) -> None:
    assert meaning(f"Was habe ich {phrase}?", "de") == (start, end)


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("hoy", "2025-03-12", "2025-03-13"),
        ("anteayer", "2025-03-10", "2025-03-11"),
        ("hace dos semanas", "2025-02-26", "2025-02-27"),
        ("hace un par de días", "2025-03-10", "2025-03-11"),
        ("la semana pasada", "2025-03-03", "2025-03-10"),
        ("el mes pasado", "2025-02-01", "2025-03-01"),
        ("este año", "2025-01-01", "2026-01-01"),
        ("la semana que viene", "2025-03-17", "2025-03-24"),
        ("en los últimos tres días", "2025-03-09", "now"),
        ("desde el 3 de marzo", "2025-03-03", "now"),
        ("después del 3 de marzo", "2025-03-04", "now"),
        ("antes del 3 de marzo", None, "2025-03-03"),
        ("antes del lunes", None, "2025-03-10"),
        ("hasta el viernes", None, "2025-03-08"),
        ("del 3 al 5 de marzo", "2025-03-03", "2025-03-06"),
        ("entre enero y febrero", "2025-01-01", "2025-03-01"),
        ("el viernes", "2025-03-07", "2025-03-08"),
        ("el viernes pasado", "2025-03-07", "2025-03-08"),
        ("el martes de la semana pasada", "2025-03-04", "2025-03-05"),
        ("el lunes por la mañana", "2025-03-10T05:00", "2025-03-10T12:00"),
        ("ayer por la tarde", "2025-03-11T12:00", "2025-03-11T17:00"),
        ("ayer a las 15:00", "2025-03-11T15:00", "2025-03-11T16:00"),
        ("anoche", "2025-03-11T22:00", "2025-03-12T05:00"),
        ("en marzo de 2024", "2024-03-01", "2024-04-01"),
        ("en marzo del año pasado", "2024-03-01", "2024-04-01"),
        ("en 2023", "2023-01-01", "2024-01-01"),
        ("el 5 de marzo de 2024", "2024-03-05", "2024-03-06"),
        ("el 5/3/2024", "2024-03-05", "2024-03-06"),
        ("a principios de marzo", "2025-03-01", "2025-03-11"),
        ("a finales de 2024", "2024-09-01", "2025-01-01"),
        ("en el primer trimestre de 2024", "2024-01-01", "2024-04-01"),
        ("en la primera mitad de 2023", "2023-01-01", "2023-07-01"),
        ("en verano", "2024-06-01", "2024-09-01"),
        ("el verano pasado", "2024-06-01", "2024-09-01"),
        ("el 5 de oct. de 2023", "2023-10-05", "2023-10-06"),
        ("en la última semana", "2025-03-05", "now"),
        ("después del lunes", "2025-03-11", "now"),
        ("del lunes al martes", "2025-03-10", "2025-03-12"),
        ("en el segundo semestre de 2023", "2023-07-01", "2024-01-01"),
        ("ayer a las 3 de la tarde", "2025-03-11T15:00", "2025-03-11T16:00"),
        ("ayer entre las 14:00 y las 16:00", "2025-03-11T14:00", "2025-03-11T16:00"),
        ("antes del final de febrero", None, "2025-03-01"),
        ("el fin de semana pasado", "2025-03-08", "2025-03-10"),
    ],
)
def test_spanish(phrase: str, start: str | None, end: str) -> None:
    assert meaning(f"¿Qué escribí {phrase}?", "es") == (start, end)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Was hat Anna letzte Woche über den Umzug gesagt?", "de"),
        ("¿Qué dijo Ana la semana pasada sobre la mudanza?", "es"),
        ("letzte Woche", "de"),
        ("la semana pasada", "es"),
        ("Kyoto", "en"),
    ],
)
def test_the_language_of_a_question_is_found(question: str, language: str) -> None:
    assert parse_query(question, now=NOW, timezone="UTC").language == language


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_every_rule_names_groups_and_classes_that_exist(table: PhraseTable) -> None:
    groups = {rule.group for rule in table.rules}
    named = [part.strip("?") for rule in table.rules for part in rule.pattern.split()]
    asked = {part[1:-1] for part in named if part.startswith("<")}
    figures = {"int", "hour", "year", "dom", "ordinal", "date", "year_month", "month_day", "iso_week", "clock"}
    codes = {"quarter", "half", "decade"}
    classes = {part[1:-1] for part in named if part.startswith("{")}
    assert asked <= groups
    assert groups <= asked | set(_GROUPS_USED)
    assert classes <= figures | codes | table.lexicon.keys() | {"soft_month", "soft_weekday"}
