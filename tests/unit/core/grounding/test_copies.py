"""One fact changed in a sentence that is otherwise the source's; and true paraphrases, which are not (ruling D1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding_rows import row
from voice.core.grounding.claims import Grounds, Judged, judge_sentence
from voice.core.grounding.passages import all_passages
from voice.core.grounding.who import people_of
from voice.core.text.numbers import same_unit, unit_named

UNITS = (
    *("mg", "g", "µg", "kg", "ounces", "tonnes", "ml", "litres", "gallons", "km", "miles", "metres", "feet", "inches"),
    *("yen", "dollars", "euros", "crowns", "kronor", "francs", "rupees", "cents", "seconds", "drops", "cups", "spoons"),
)


def _judged(claim: str, source: str, names: tuple[str, ...] = ()) -> Judged:
    rows = (row("S1", source, names=names),)
    passages = tuple(passage for one in rows for passage in all_passages(one))
    return judge_sentence(claim, Grounds(rows=rows, passages=passages, people=people_of(rows)), 1.65)


@pytest.mark.requirement("ruling:D1")
@given(st.sampled_from(UNITS), st.sampled_from(UNITS), st.integers(2, 900))
def test_a_unit_in_the_place_of_another_is_a_contradiction(ours: str, theirs: str, number: int) -> None:
    sentence = f"The old recipe in the drawer asks for {number} {{}} of it every single morning."
    judged = _judged(sentence.format(ours), sentence.format(theirs))
    named = [unit_named(unit.replace("µ", "μ")) or unit for unit in (ours, theirs)]

    assert (judged.verdict == "contradicted") is not same_unit(*named)
    assert (judged.verdict == "supported") is same_unit(*named)


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "told", "claimed"),
    [
        ("The doctor gave Ada {} of the syrup, and she slept until the evening.", "14 mg", "14 g"),
        ("The doctor gave Ada {} of the syrup, and she slept until the evening.", "14 mg", "41 mg"),
        ("The flat by the harbour costs {} a week, which is more than we paid.", "$554", "€554"),
        ("The flat by the harbour costs $554 a {}, which is more than we paid.", "week", "month"),
        ("The course in the old mill takes {} and starts at noon.", "8-16 hours", "8-16 minutes"),
        ("It was {} degrees when Ada left the harbour at noon.", "-6", "6"),
        ("The {} meeting with Ada takes an hour and starts at noon.", "ninetieth", "nineteenth"),
        ("The {} meeting with Ada takes an hour and starts at noon.", "second", "third"),
        ("I lent Ada a {} bricks for the wall behind the house.", "thousand", "million"),
        ("On {} Ada swam across the lake and back again.", "Monday", "Thursday"),
        ("Ada swam across the lake {} the boat race was over.", "before", "after"),
        ("Ada swam across the lake {} the boat race was over.", "as soon as", "long before"),
        ("The flat in Oslo costs {} than Ada paid for the house.", "more", "less"),
        ("My sister Ada is {} than Ben and has lived in Oslo since 1999.", "older", "the oldest"),
        ("My {} Ada has lived in Oslo since 1999 and paints boats.", "sister", "cousin"),
        ("My {} Ada has lived in Oslo since 1999 and paints boats.", "wife", "ex-wife"),
        ("I sold the blue boat to {} after the summer in Oslo.", "Caroline", "Carolina"),
        ("I sold the blue boat to {} after the summer in Oslo.", "Daniel", "Daniela"),
        ("I {} Ada two bags of flour for the cake yesterday.", "gave", "refused to give"),
        ("I {} Ada two bags of flour for the cake yesterday.", "gave", "have not given"),
        ("Ada was {} about the blue boat and the summer in Oslo.", "happy", "unhappy"),
        ("Ada was {} about the blue boat and the summer in Oslo.", "no longer sure", "sure"),
        ("Das Treffen mit Ada beginnt um neun Uhr und dauert {} Stunden.", "vierzehn", "vierzig"),
        ("Das Treffen mit Ada im {} beginnt um neun Uhr und dauert lange.", "März", "August"),
        ("Das Treffen mit Ada beginnt um neun Uhr und dauert zwölf {}.", "Stunden", "Minuten"),
        ("Meine Tante ist {} als Ada und wohnt seit Jahren in Köln.", "älter", "jünger"),
        ("Η συνάντηση αρχίζει στις δέκα και κρατάει πέντε {}.", "ώρες", "λεπτά"),
        ("Η Μαρία {} το σπίτι στην Αθήνα το 1999 για λίγα χρήματα.", "αγόρασε", "δεν αγόρασε"),
        ("王伟在1994年三月{}北京的那套房子。", "买了", "没买"),
        ("王伟在{}年三月买了北京的那套房子。", "1994", "1995"),
        ("王伟在会议之{}离开了北京的那套房子。", "前", "后"),
    ],
)
def test_one_fact_changed_either_way_contradicts(source: str, told: str, claimed: str) -> None:
    assert _judged(source.format(claimed), source.format(told)).verdict == "contradicted"
    assert _judged(source.format(told), source.format(claimed)).verdict == "contradicted"
    assert _judged(source.format(told), source.format(told)).verdict == "supported"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Ada bought the green kettle in Oslo last week.", "Ada bought the green lantern in Oslo last week."),
        ("Ada ate almost all of the soup at the old inn.", "Ada ate all of the soup at the old inn."),
        ("All the guests of the old inn danced that night.", "Some the guests of the old inn danced that night."),
        (
            "Ada bought the lantern in Oslo after somebody was treated for pneumonia at the university hospital.",
            "Ada bought the lantern in Oslo.",
        ),
        ("王伟买了北京的那套旧房子。", "王伟买了北京的那套新房子。"),
        ("Jörg mietete die große Wohnung in der Stadt.", "Jörg vermietete die große Wohnung in der Stadt."),
        ("Meine Tante kaufte das Boot in Ulm.", "Meine Tante kaufte das Haus in Ulm."),
        ("Meine Mütter wohnen in der großen Wohnung.", "Meine Mutter wohnen in der großen Wohnung."),
    ],
)
def test_another_word_or_a_new_phrase_is_not_supported(claim: str, source: str) -> None:
    judged = _judged(claim, source)

    assert judged.verdict in ("unsupported", "contradicted")


def test_what_is_only_strewn_over_a_source_or_is_a_title_in_it_is_no_copy() -> None:
    strewn = "Ada, who had come from the far north by a slow train that stopped everywhere, bought, as she says, boats."
    claim = "All the money in the world helped the university hospital archive."

    for text, source in (("Ada had come by train, bought boats.", strewn), (claim, "all the money in the world")):
        assert not [one for one in _judged(text, source).findings if one.flag == "altered"]


def test_the_nearest_of_several_sentences_is_the_one_that_is_changed() -> None:
    texts = ("The blue boat in Oslo costs 300 crowns a week.", "The red boat in Oslo costs 300 dollars a week.")
    rows = tuple(row(f"S{n}", text) for n, text in enumerate(texts, 1))
    passages = tuple(passage for one in rows for passage in all_passages(one))
    claim = "The blue boat in Oslo costs 300 euros a week."
    judged = judge_sentence(claim, Grounds(rows=rows, passages=passages, people=people_of(rows)), 1.65)

    assert "the source says 300 crowns, the answer says 300 euros" in {finding.text for finding in judged.findings}


def test_the_reason_says_both_figures() -> None:
    judged = _judged("The doctor gave Ada 14 g of the syrup.", "The doctor gave Ada 14 mg of the syrup.")

    assert "the source says 14 mg, the answer says 14 g" in {finding.text for finding in judged.findings}


def test_a_fact_that_stands_elsewhere_in_the_evidence_is_no_excuse() -> None:
    source = "I gave Robert a dozen grams of flour, less than Roberta had asked for."

    assert _judged(source.replace("Robert ", "Roberta "), source).verdict == "contradicted"


def test_a_sentence_that_some_source_says_in_full_is_supported_whatever_another_says() -> None:
    texts = ("The blue boat in Oslo costs 300 crowns a week.", "The blue boat in Oslo costs 400 crowns a week.")
    rows = tuple(row(f"S{n}", text) for n, text in enumerate(texts, 1))
    passages = tuple(passage for one in rows for passage in all_passages(one))
    grounds = Grounds(rows=rows, passages=passages, people=people_of(rows))

    assert {judge_sentence(text, grounds, 1.65).verdict for text in texts} == {"supported"}


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The doctor gave Ada 14 milligrams of the syrup.", "The doctor gave Ada 14 mg of the syrup."),
        ("The doctor gave Ada 14 mg of the syrup.", "The doctor gave Ada 14 milligrams of the syrup."),
        ("The doctor gave Ada 3 µg of the syrup.", "The doctor gave Ada 3 micrograms of the syrup."),
        ("The cake takes 250 g of dark flour.", "The cake takes 250 grams of dark flour."),
        ("The walk to the old mill takes 30 minutes.", "The walk to the old mill takes half an hour."),
        ("The walk to the old mill takes half an hour.", "The walk to the old mill takes 30 minutes."),
        ("The walk to the old mill takes two hours.", "The walk to the old mill takes 120 minutes."),
        ("Ada ran 5 km around the old lake.", "Ada ran five kilometres around the old lake."),
        ("Ada ran twelve miles around the old lake.", "Ada ran 12 miles around the old lake."),
        ("Ada sold 24 eggs at the old market.", "Ada sold two dozen eggs at the old market."),
        ("The house costs 2 million euros today.", "The house costs 2,000,000 euros today."),
        ("The boat costs $40 a week in summer.", "The boat costs 40 dollars a week in summer."),
        ("The boat costs £40 a week in summer.", "The boat costs 40 pounds a week in summer."),
        ("About 40% of the guests danced at the inn.", "About 40 percent of the guests danced at the inn."),
        ("The old shop opens at 5:30 p.m. every day.", "The old shop opens at 17:30 every day."),
        ("The old shop opens at 7 pm on working days.", "The old shop opens at 19:00 on working days."),
        ("Ada won the 3rd race on the old track.", "Ada won the third race on the old track."),
        ("Ada won the nineteenth race on the track.", "Ada won the 19th race on the track."),
        ("Ada was born on 7 May 1990 in Oslo.", "Ada was born on May 7, 1990 in Oslo."),
        ("Ada was born on 7 May 1990 in Oslo.", "Ada was born on 1990-05-07 in Oslo."),
        ("Ada studied there in the school year 2018.", "Ada studied there in the 2018 school year."),
        ("Red hair occurs in 1 - 2 percent of people.", "Red hair occurs in 1–2% of people."),
        ("Ada isn't happy about the blue boat.", "Ada is not happy about the blue boat."),
        ("Ada is not happy about the blue boat.", "Ada isn't happy about the blue boat."),
        ("Ada is unhappy about the blue boat.", "Ada is not happy about the blue boat."),
        ("Ada was not able to mend the blue boat.", "Ada was unable to mend the blue boat."),
        ("Ada cannot swim in the cold lake.", "Ada can't swim in the cold lake."),
        ("Ada did not manage to mend the blue boat.", "Ada failed to mend the blue boat."),
        ("Ada failed to mend the blue boat.", "Ada did not manage to mend the blue boat."),
        ("Ada did not go to the party at the inn.", "Ada refused to go to the party at the inn."),
        ("They found no evidence of poison in the well.", "They did not find any evidence of poison in the well."),
        ("They did not see anybody at the old inn.", "They saw nobody at the old inn."),
        ("Ada has never been to the old mill.", "Ada hasn't ever been to the old mill."),
        ("Ada doesn't work at the old mill.", "Ada does not work at the old mill."),
        ("Annie bought the blue boat in Oslo.", "Ann bought the blue boat in Oslo."),
        ("Mel bought the blue boat in Oslo.", "Melanie bought the blue boat in Oslo."),
        ("Daniel sold the blue boat in Oslo.", "Dan sold the blue boat in Oslo."),
        ("Ben and Ada bought the blue boat together.", "Ada and Ben bought the blue boat together."),
        ("Ada met Ben at the old mill in Oslo.", "Ben met Ada at the old mill in Oslo."),
        ("Anna's boat lies in the old harbour of Oslo.", "The boat of Anna lies in the old harbour of Oslo."),
        ("The blue boat was bought by Ada in Oslo last year.", "Ada bought the blue boat in Oslo last year."),
        ("Ada painted the blue boat in the old harbour.", "The blue boat in the old harbour was painted by Ada."),
        ("You moved to Oslo with your sister Ada.", "I moved to Oslo with my sister Ada."),
        ("Ben is younger than Ada.", "Ada is older than Ben."),
        ("The bedroom is smaller than the kitchen.", "The kitchen is bigger than the bedroom."),
        ("The blue boat in Oslo costs less than before.", "The blue boat in Oslo costs less than it did before."),
        ("The boat is larger than the old house.", "The boat is bigger than the old house."),
        ("Ada arrived sooner than the old doctor.", "Ada arrived earlier than the old doctor."),
        ("More than 40 guests danced at the old inn.", "Over 40 guests danced at the old inn."),
        ("Ada waited till the old bus had left.", "Ada waited until the old bus had left."),
        ("Ada danced every day of the long summer.", "Ada danced each day of the long summer."),
        ("Ada purchased the blue boat in Oslo.", "Ada bought the blue boat in Oslo."),
        ("Ada buys the blue boat in Oslo.", "Ada bought the blue boat in Oslo."),
        ("Ada's mum bought the blue boat in Oslo.", "Ada's mother bought the blue boat in Oslo."),
        ("Nearly 40 guests danced at the old inn.", "40 guests danced at the old inn."),
        ("Ada, who likes boats, lives in Oslo with Ben.", "Ada likes boats and lives in Oslo with Ben."),
        ("In May, Ada moved into the old mill.", "Ada moved into the old mill in May."),
        ("We flew to the NYC area in May.", "We flew to the New York City area in May."),
        ("Meine Tante kauft ein neues Haus in Köln.", "Meine Tante kaufte ein neues Haus in Köln."),
        ("Meine Tante sitzt am Tisch in der Stadt.", "Meine Tante sitzt am Tische in der Stadt."),
        ("Ο Νίκος αγόρασε το σπίτι στην Αθήνα.", "Ο Νίκος αγόρασε το σπίτι στην Αθήνα!"),
    ],
)
def test_a_true_paraphrase_is_not_hurt(claim: str, source: str) -> None:
    names = ("Ann", "Annie") if "Annie" in claim else ()

    assert _judged(claim, source, names).verdict == "supported"
