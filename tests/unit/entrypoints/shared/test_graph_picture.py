"""The picture of a neighbourhood: readable, complete, and harmless whatever a name holds."""

import base64
import hashlib
import re
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from graph_rows import NOW, entity, part, relation, said, studio
from tables import tables
from voice.core.records import GraphRow, TrustTier
from voice.core.render.picture.drawing import Drawing, broken, draw, text_width
from voice.core.render.picture.edges import curve_between, name_places
from voice.core.render.picture.layout import Box, LayoutPoint
from voice.entrypoints.shared.graph_picture import MAX_SAID, Page, View, picture_page

TABLES = tables(__file__)

_HOSTILE = "<script>alert(1)</script>\" onload='x' </style><!-- &amp; \u202e\x00"


def page_of(*rows: GraphRow, focus: str = "anna", limit: int = 30, include_private: bool = False) -> Page:
    seen = part(*rows, include_private=include_private)
    about = seen.by_id[f"e:{focus}"]
    view = View(focus=about, hops=2, limit=limit, now=NOW, timezone="Europe/Lisbon", include_private=include_private)
    return picture_page(seen, view)


def drawing_of(*rows: GraphRow, focus: str = "anna", seed: int = 0) -> Drawing:
    return draw(part(*rows), f"e:{focus}", now=NOW, seed=seed)


def body(page: Page) -> ET.Element:
    """Return what stands between head and script, which is XML as well as HTML."""
    inside = page.html.partition("<body>")[2].partition("<script>")[0]
    return ET.fromstring(f"<body>{inside}</body>")


def words(element: ET.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def entry(page: Page, name: str) -> str:
    return next(words(each) for each in body(page).iter("section") if words(each).startswith(name))


@pytest.mark.requirement("promise:10")
def test_a_page_loads_nothing_and_its_policy_allows_its_own_two_texts_alone() -> None:
    html = page_of().html
    assert not re.search(r"https?:|//[a-z]|\bsrc=|@import|url\(|<link|<iframe|<object", html)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    allowed = re.findall(r"'sha256-([^']+)'", policy[1])
    texts = [re.findall(f"<{tag}>(.*?)</{tag}>", html, flags=re.DOTALL) for tag in ("style", "script")]
    assert [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for (each,) in texts] == allowed
    assert policy[1].startswith("default-src 'none';")
    assert not re.search(r"unsafe|https|\*", policy[1])
    names = {name for element in body(page_of()).iter() for name in element.keys()}  # noqa: SIM118 - an element's
    assert not {name for name in names if name == "style" or name.startswith("on")}
    assert "class" in names


@pytest.mark.requirement("promise:6")
def test_names_and_sentences_are_text_whatever_they_hold() -> None:
    rows = studio()
    tame = page_of(*rows)
    hostile = [
        replace(entity("anna", _HOSTILE, _HOSTILE), description=_HOSTILE, aliases=(_HOSTILE,)),
        *rows[1:],
        replace(relation("anna", "x", "bea"), rel_type=_HOSTILE, description=_HOSTILE),
        replace(said("9", _HOSTILE, "anna"), speaker=_HOSTILE),
    ]
    page = page_of(*hostile)
    assert {each.tag for each in body(page).iter()} == {each.tag for each in body(tame).iter()}
    assert page.html.count("<script") == tame.html.count("<script") == 1
    assert page.html.count("<style") == page.html.count("</style") == 1
    assert "<!--" not in page.html
    assert not {"\u202e", "\x00"} & set(page.html)
    assert words(next(body(page).iter("h1"))).startswith("<script>alert(1)</script>")


@pytest.mark.requirement("promise:8")
def test_the_same_rows_give_the_same_page_and_another_seed_another_arrangement() -> None:
    assert page_of().html == page_of(*reversed(studio())).html
    places = [[card.box.at for card in drawing_of(seed=seed).cards] for seed in range(4)]
    assert any(one != places[0] for one in places[1:])


def overlaps(drawing: Drawing) -> int:
    boxes = [*(card.box for card in drawing.cards), *(line.name_at for line in drawing.lines if line.name_at)]
    return sum(one.touches(other) for one, other in combinations(boxes, 2))


def crowd(many: int) -> list[GraphRow]:
    people = [entity(f"{each:02}", f"Somebody number {each}") for each in range(many)]
    ends = [(f"{each // 3:02}", f"{each:02}") for each in range(1, many)]
    more = [(f"{each:02}", f"{(each * 7 + 3) % many:02}") for each in range(many)]
    edges = {(a, b): relation(a, "works_closely_with", b) for a, b in (*ends, *more) if a != b}
    return [*people, *edges.values()]


@pytest.mark.parametrize("many", [2, 18])
def test_no_card_and_no_name_of_a_line_lies_on_another(many: int) -> None:
    drawing = drawing_of(*crowd(many), focus="00")
    assert overlaps(drawing) == 0
    assert len(drawing.cards) == many
    for card in drawing.cards:
        assert 0 < card.left < card.left + card.box.width < drawing.width
        assert 0 < card.top < card.top + card.box.height < drawing.height
        assert all(text_width(line, card.size) < card.box.width - 40 for line in card.lines)


def test_what_has_no_room_is_said_and_shows_when_pointed_at() -> None:
    """Everybody is related with everybody, so that some names of lines have no place."""
    keys = [f"{each:02}" for each in range(7)]
    everybody = [entity(key) for key in keys]
    ties = [relation(a, "has known for a very long time", b) for a in keys for b in keys if a != b]
    page = page_of(*everybody, *ties, focus="00")
    assert page.hidden_names > 1
    assert f"{page.hidden_names} lines have no room" in words(body(page))
    assert page.html.count('<text class="crowded"') == page.hidden_names


def test_a_type_has_a_colour_and_a_shape_of_its_own_and_the_legend_tells_them() -> None:
    page = body(page_of())
    cards = [each.get("class", "") for each in page.iter("a") if "card" in each.get("class", "")]
    assert cards == ["card person focus", "card organisation", "card person", "card project", "card other"]
    legend = next(each for each in page.iter("ul") if each.get("class") == "legend")
    said_there = [words(each) for each in legend]
    assert said_there[:4] == ["person", "project", "organisation", "other"]
    assert said_there[4:] == ["relation, in its direction", "relation that has ended", "named by the same notes"]


def test_lines_go_from_source_to_target_and_tell_what_holds_from_what_has_ended() -> None:
    drawing = drawing_of()
    names = [card.entity.name for card in drawing.cards]
    told = {(names[line.source], line.name, names[line.target], line.has_ended) for line in drawing.lines}
    assert told == {
        ("Anna Lund", "leads +1", "Kiln rebuild", False),
        ("Anna Lund", "teaches", "Beatriz Carvalho", False),
        ("Beatriz Carvalho", "works with", "Anna Lund", False),
        ("Anna Lund", "member of", "Barro Cooperative", True),
        ("Kiln rebuild", "", "Mochi", False),
    }
    assert next(card.small for card in drawing.cards if card.entity.name == "Kiln rebuild") == (
        "project · 2 notes",
        "↻ replaces",
    )
    assert len({line.curve for line in drawing.lines}) == len(drawing.lines)


def test_notes_that_name_both_draw_a_thicker_line_the_more_there_are() -> None:
    people = [entity(key) for key in ("anna", "one", "few", "many")]
    notes = [
        said("1", "x", "anna", "one"),
        *(said(f"f{each}", "x", "anna", "few") for each in range(2)),
        *(said(f"m{each}", "x", "anna", "many") for each in range(5)),
    ]
    page = body(page_of(*people, *notes))
    looks = sorted(each.get("class", "") for each in page.iter("g") if each.get("data-a") is not None)
    assert looks == ["line thread", "line thread more", "line thread most"]
    assert "5 notes name both" in {words(each) for each in page.iter("title")}


@pytest.mark.requirement("promise:9")
def test_a_large_neighbourhood_is_cut_to_the_most_connected_and_says_so() -> None:
    page = page_of(*crowd(20), focus="00", limit=6)
    assert (len(page.shown.entities), page.entities_in_reach) == (6, 20)
    assert "Shows the 6 most connected of 20 entities within reach" in words(body(page))
    assert "most connected" not in words(body(page_of()))


@pytest.mark.requirement("ruling:A21")
def test_the_list_says_in_words_what_the_picture_shows() -> None:
    page = page_of()
    anna = entry(page, "Anna Lund")
    assert "person · also Anna, A. Lund" in anna
    assert "Potter in Porto." in anna
    assert "Anna Lund → pays for → Kiln rebuild" in anna
    assert "Beatriz Carvalho → works with → Anna Lund" in anna
    assert "member of → Barro Cooperative: Since the first meeting." in anna
    assert "(since 2020-01-01, until 2025-06-01, ended, trust: amber)" in anna
    kiln = entry(page, "Kiln rebuild")
    assert "2026-03-03 · BeaMochi slept in the kiln shed." in kiln
    assert kiln.index("2026-03-03") < kiln.index("2026-02-24")
    assert "Named together with Mochi (1)" in kiln


def test_of_very_many_notes_the_newest_stand_on_the_page_under_the_days_of_the_persons_calendar() -> None:
    notes = [said(f"{each:03}", f"note {each}", "anna", days_ago=each) for each in range(MAX_SAID + 2)]
    anna = entry(page_of(entity("anna"), *notes), "Anna")
    assert ("note 0" in anna, f"note {MAX_SAID}" in anna) == (True, False)
    assert "and 2 older notes; voice kg show shows them" in anna
    late = replace(said("1", "Late.", "anna"), created_at=NOW.replace(month=7, hour=23, minute=30), trust=TrustTier.RED)
    assert "2026-07-06Late. (trust: red)" in entry(page_of(entity("anna"), late), "Anna")


def test_a_link_leads_from_each_card_to_its_entry_and_an_entity_alone_says_how_it_gets_company() -> None:
    page = body(page_of())
    targets = {each.get("id") for each in page.iter("section")}
    links = [each.get("href", "") for each in page.iter("a")]
    assert len(targets) == 5
    assert {link.removeprefix("#") for link in links} == targets
    label = next(each.get("aria-label") for each in page.iter("a"))
    assert label == "Anna Lund, person, 4 relations"
    alone = words(body(page_of(entity("anna"))))
    assert ("It has no links yet" in alone, "1 entity within 2 steps" in alone) == (True, True)


@pytest.mark.requirement("promise:6")
def test_the_page_says_what_became_of_private_rows() -> None:
    rows = [*studio(), said("secret", "Anna hides the key.", "anna", is_private=True)]
    public, everything = page_of(*rows), page_of(*rows, include_private=True)
    assert "1 private row left out" in words(body(public))
    assert "hides the key" not in public.html
    assert "it holds private rows" in words(body(everything))
    assert "Anna hides the key. (private)" in words(body(everything))
    assert "it holds no private rows" in words(body(page_of()))


def test_of_many_lines_that_notes_draw_the_strongest_are_kept() -> None:
    """One note names everybody: the focus keeps all its lines, the others no more than a few each."""
    keys = ["anna", *(f"{each:02}" for each in range(12))]
    drawing = drawing_of(*(entity(key) for key in keys), said("1", "All came.", *keys))
    assert sum(line.source == 0 for line in drawing.lines) == 12
    assert len(drawing.lines) < 40


def test_a_name_of_nothing_visible_is_told_by_its_id() -> None:
    drawing = drawing_of(entity("anna", "\u200e "), entity("bea"), relation("anna", " ", "bea"))
    assert drawing.cards[0].lines == ("e:anna",)
    assert drawing.lines[0].words == ("?",)


def test_a_name_breaks_between_words_and_ends_with_an_ellipsis_where_it_must() -> None:
    for text, lines in TABLES["a_name_breaks_between_words_and_ends_with_an_ellipsis_where_it_must"]:
        assert broken(text, 10.0, 66.0, 2) == lines


def test_a_line_begins_and_ends_at_the_rim_of_its_cards() -> None:
    source, target = Box(LayoutPoint(0, 0), 100, 40), Box(LayoutPoint(300, 0), 100, 40)
    straight = curve_between(source, target, 0.0)
    assert (straight.start.x, straight.end.x) == (pytest.approx(52, abs=0.1), pytest.approx(245, abs=0.1))
    bowed = curve_between(source, target, 60.0)
    assert bowed.at(0.5).y < -20
    assert curve_between(target, source, 60.0).at(0.5).y > 20


def test_a_line_goes_around_a_card_that_it_would_run_under() -> None:
    """Two that stand on both sides of the focus are related with each other."""
    ties = [relation("anna", "knows", "bea"), relation("anna", "knows", "coop"), relation("bea", "joined", "coop")]
    drawing = drawing_of(entity("anna"), entity("bea"), entity("coop"), *ties)
    (joined,) = (line for line in drawing.lines if line.words == ("joined",))
    assert not any(drawing.cards[0].box.covers(place, 0.0) for place in joined.curve.samples)


def test_the_name_of_a_line_keeps_off_cards_and_other_names() -> None:
    cards = [Box(LayoutPoint(0, 0), 100, 40), Box(LayoutPoint(300, 0), 100, 40)]
    curve = curve_between(cards[0], cards[1], 0.0)
    (alone,) = name_places([curve], [(60.0, 15.0)], cards)
    assert alone is not None
    assert (alone.at.x, alone.at.y) == (pytest.approx(148.5, abs=0.2), 0.0)
    first, unnamed, second = name_places([curve] * 3, [(60.0, 15.0), None, (60.0, 15.0)], cards)
    assert first is not None
    assert second is not None
    assert not first.touches(second, 2.9)
    assert unnamed is None
    assert name_places([curve], [(200.0, 15.0)], cards) == (None,)
