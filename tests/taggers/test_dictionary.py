"""The dictionary tagger against maximum matching by definition, and what it keeps, explains and refuses."""

import json
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon import Entry, Lexicon
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.surface_labels import SurfaceLabel, surface_labels
from core.taggers.base.tagger import ModelFolderError, Resources
from core.taggers.base.tagging import tag
from core.taggers.dictionary import SURFACES, DictionaryConfig, DictionaryTagger
from core.text import Document, Span
from core.training.evaluation import evaluate
from tests.taggers.small_flat import DOCUMENTS, LABELS
from tests.taggers.test_every_tagger import ODD

TOWN = (
    Document("1", "林晚晴在清河大学教书", (Span(0, 3, "PER"), Span(4, 8, "ORG"))),
    Document("2", "清河大学在清河", (Span(0, 4, "ORG"), Span(5, 7, "LOC"))),
    Document("3", "清河又下雨了", (Span(0, 2, "LOC"),)),
    Document("4", "清河队赢了", (Span(0, 2, "ORG"),)),
    Document("5", "清河在南边"),
)


def built(documents=TOWN, lexicon=None, labels=LABELS, **options):
    return DictionaryTagger.build(DictionaryConfig(**options), labels, Resources(documents, lexicon))


def spans(tagger, text):
    return [
        (text[s.start : s.end], s.label, s.score)
        for s in tagger.decode(tagger.collate([Document("x", text)]))[0]
    ]


def longest_first(text, words, backward):
    """Maximum matching by its definition: at every step the longest word, else one character."""
    cut, at = [], len(text) if backward else 0
    while at > 0 if backward else at < len(text):
        sizes = range(len(text), 0, -1)
        if backward:
            size = next((n for n in sizes if n <= at and text[at - n : at] in words), 1)
            cut.insert(0, (at - size, at))
            at -= size
        else:
            size = next((n for n in sizes if at + n <= len(text) and text[at : at + n] in words), 1)
            cut.append((at, at + size))
            at += size
    return cut


def by_definition(text, words, matching):
    cuts = {name: longest_first(text, words, name == "backward") for name in ("backward", "forward")}
    if matching != "bidirectional":
        return cuts[matching]
    return min(cuts.values(), key=lambda cut: (len(cut), sum(end - start == 1 for start, end in cut)))


ALPHABET = "清河大学城"
WORDS = st.dictionaries(
    st.text(ALPHABET, min_size=1, max_size=4), st.sampled_from([*LABELS, "", "n"]), max_size=9
)


@pytest.mark.parametrize("matching", ["forward", "backward", "bidirectional"])
@given(WORDS, st.text(ALPHABET, max_size=12))
def test_it_is_maximum_matching_over_typed_words(matching, types, text):
    lexicon = Lexicon([Entry(word, 1, kind) for word, kind in types.items()])
    tagger = built((), lexicon, matching=matching)
    typed = {word: kind for word, kind in types.items() if kind in LABELS}
    expected = [
        (text[start:end], typed[text[start:end]], 1.0)
        for start, end in by_definition(text, typed, matching)
        if text[start:end] in typed
    ]
    assert spans(tagger, text) == expected


def test_a_surface_has_its_most_frequent_label_and_the_share_of_its_occurrences():
    found = surface_labels(TOWN, LABELS)
    assert found == {
        "林晚晴": SurfaceLabel("PER", 1.0),
        "清河大学": SurfaceLabel("ORG", 1.0),
        "清河": SurfaceLabel("LOC", 2 / 4, others=True),  # twice it is part of 清河大学
    }


@given(
    st.lists(st.tuples(st.text("清河在", max_size=7), st.lists(st.integers(0, 6), max_size=3)), max_size=4)
)
def test_shares_are_counts_of_substrings(cases):
    documents = []
    for number, (text, starts) in enumerate(cases):
        found = [
            Span(s, s + 1 + s % 2, LABELS[s % 3]) for s in sorted(set(starts)) if s + 1 + s % 2 <= len(text)
        ]
        documents.append(Document(str(number), text, tuple(found)))
    labelled = Counter((d.text[s.start : s.end], s.label) for d in documents for s in d.spans)
    words = {surface for surface, _ in labelled}
    for surface, known in surface_labels(documents, LABELS).items():
        places = sum(_counts(document, surface, words) for document in documents)
        most = max(labelled[surface, label] for label in LABELS)
        first = next(label for label in LABELS if labelled[surface, label] == most)
        assert (known.label, known.share) == (first, most / places)
        assert known.others == (sum(labelled[surface, label] > 0 for label in LABELS) > 1)


def _counts(document, surface, words):
    """How often the surface is a span, or occurs where no longer surface or span covers it."""
    text = document.text
    spans = {(span.start, span.end) for span in document.spans}
    ends = range(len(text) + 1)
    places = {(i, j) for i in ends for j in ends if i < j and text[i:j] in words} | spans
    return sum(
        text[i:j] == surface
        and ((i, j) in spans or not any(a <= i and j <= b and (a, b) != (i, j) for a, b in places))
        for i, j in places
    )


def test_of_equally_frequent_labels_the_first_of_the_labels_wins():
    documents = (Document("1", "清河", (Span(0, 2, "PER"),)), Document("2", "清河", (Span(0, 2, "LOC"),)))
    assert surface_labels(documents, ("PER", "LOC"))["清河"].label == "PER"
    assert surface_labels(documents, ("LOC", "PER"))["清河"].label == "LOC"


def test_what_somebody_changes_between_the_two_readings_is_left_out_or_counted_as_ever():
    class Edited:
        readings = 0

        def __iter__(self):
            self.readings += 1
            yield Document("1", "清河在" * (3 - self.readings), (Span(0, 2, "LOC"),) * (self.readings < 2))
            if self.readings == 1:
                yield Document("2", "清河林晚晴", (Span(0, 2, "LOC"), Span(2, 5, "PER")))

    assert surface_labels(Edited(), LABELS) == {"清河": SurfaceLabel("LOC", 1.0)}


def test_surfaces_no_lexicon_can_hold_are_left_out():
    text = "清\n河" + "长" * 101
    document = Document("1", text, (Span(0, 3, "LOC"), Span(3, 104, "ORG"), Span(0, 1, "GONE")))
    assert surface_labels([document], LABELS) == {}


def test_it_finds_what_it_has_seen():
    tagger = built()
    assert spans(tagger, "林晚晴去清河大学") == [("林晚晴", "PER", 1.0), ("清河大学", "ORG", 1.0)]
    assert spans(tagger, "清河") == [("清河", "LOC", 0.5)]
    assert spans(tagger, "没有人") == []


def test_ambiguous_and_rare_surfaces_can_be_left_out():
    assert spans(built(ambiguous="leave out"), "清河") == []
    assert spans(built(least_share=0.6), "清河") == []
    assert spans(built(least_share=0.6), "清河大学") == [("清河大学", "ORG", 1.0)]


def test_a_type_of_the_lexicon_comes_before_what_was_seen():
    lexicon = Lexicon([Entry("清河", 5, "ORG"), Entry("大学", 9, "n"), Entry("南边", 1, "LOC")])
    tagger = built(lexicon=lexicon)
    assert spans(tagger, "清河在南边的大学") == [("清河", "ORG", 1.0), ("南边", "LOC", 1.0)]
    assert "大学" not in tagger.lexicon
    assert spans(built(lexicon=lexicon, use_lexicon=False), "清河在南边") == [("清河", "LOC", 0.5)]


def test_words_added_and_taken_out_act_at_once():
    tagger = built()
    before = tagger.lexicon
    tagger.lexicon = before.with_words(
        [Entry("教书", 1, "ORG"), Entry("林晚晴", 1, ""), Entry("下雨", 1, "n")]
    )
    assert spans(tagger, "林晚晴教书下雨") == [("林晚晴", "PER", 1.0), ("教书", "ORG", 1.0)]
    tagger.lexicon = before.without_words(["清河大学"])
    assert spans(tagger, "清河大学") == [("清河", "LOC", 0.5)]


def test_a_word_a_person_took_out_stays_out():
    lexicon = Lexicon(["清河大学", "下雨"]).without_words(["清河大学"])
    assert [span[0] for span in spans(built(lexicon=lexicon), "清河大学")] == ["清河"]


def test_letters_of_a_longer_word_are_not_matched():
    document = Document("1", "art I", (Span(0, 3, "ORG"), Span(4, 5, "PER")))
    assert spans(built((document,)), "party I In art") == [("I", "PER", 1.0), ("art", "ORG", 1.0)]


def test_it_is_saved_and_loaded(tmp_path):
    tagger = built(lexicon=Lexicon([Entry("南边", 1, "LOC")]), matching="forward")
    tagger.save(tmp_path / "model")
    loaded = load_tagger(tmp_path / "model")
    assert isinstance(loaded, DictionaryTagger)
    assert (loaded.config, loaded.labels, loaded.surfaces) == (tagger.config, tagger.labels, tagger.surfaces)
    texts = [*DOCUMENTS, *ODD, *TOWN]
    assert tag(loaded, texts) == tag(tagger, texts)
    assert not loaded.training


@pytest.mark.parametrize("document", ODD, ids=lambda document: document.id)
def test_it_tags_any_text(document):
    (tagged,) = tag(built(), [document])
    assert (tagged.id, tagged.text) == (document.id, document.text)
    assert all(span.label in LABELS and 0 < span.score <= 1 for span in tagged.spans)


def test_a_trace_holds_the_words_that_matched():
    tagger = built()
    trace, empty = tagger.trace(tagger.collate([TOWN[0], Document("x", "")]))
    assert trace.lattice.nodes == (*TOWN[0].text, "林晚晴", "清河", "清河大学")
    assert [span.key for span in trace.spans] == [span.key for span in TOWN[0].spans]
    assert (trace.crf, trace.attention, trace.tagger) == (None, (), "dictionary")
    assert (empty.text, empty.spans) == ("", ())


def test_it_is_evaluated_as_any_other():
    assert evaluate(built(), TOWN[:2]).micro.f1 == 1.0


def test_it_has_no_parameters_and_a_device_all_the_same():
    tagger = built()
    assert list(tagger.parameters()) == []
    assert tagger.device == torch.device("cpu")
    for asked in (tagger.loss, tagger.token_scores):
        with pytest.raises(NotImplementedError, match="needs no training"):
            asked(tagger.collate(TOWN))


@pytest.mark.parametrize(
    "value",
    [
        [],
        None,
        {"清河": "LOC"},
        {"清河": ["LOC"]},
        {"清河": ["GPE", 1.0]},
        {"清河": ["LOC", 2.0]},
        {"清河": ["LOC", "1"]},
    ],
    ids=str,
)
def test_damaged_surfaces_are_refused(tmp_path, value):
    built().save(tmp_path)
    (tmp_path / SURFACES).write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(ModelFolderError, match=r"surfaces\.json"):
        load_tagger(tmp_path)


@pytest.mark.parametrize("name", [SURFACES, "config.json", "lexicon/lexicon.json"])
def test_a_missing_file_is_named(tmp_path, name):
    built().save(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(ModelFolderError, match=name.split("/")[-1]):
        load_tagger(tmp_path)
