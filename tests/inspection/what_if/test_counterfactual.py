"""Under other conditions a tagger answers as one made with them would, and is itself again afterwards."""

import numpy as np
import pytest

from core.inspection.what_if.counterfactual import Conditions, tag_under, trace_under, under
from core.lexicon import Lexicon, LexiconError
from core.taggers.base.tagging import tag
from core.text import Document
from tests.taggers.small_taggers import small_tagger

TEXT = "林晚晴在清河大学教书"


@pytest.fixture(scope="module")
def flat():
    return small_tagger("flat", lexicon=Lexicon(["清河", "大学"])).eval()


def test_words_put_in_and_taken_out_act_on_the_lattice_for_one_call(flat):
    own = flat.lexicon
    trace = trace_under(flat, TEXT, Conditions(added=("河大学",), removed=("清河",)))
    assert trace.lattice.nodes[len(TEXT) :] == ("河大学", "大学")
    flat.lexicon = Lexicon(["大学", "河大学"])
    expected = flat.trace(flat.collate([Document("x", TEXT)]))[0]
    flat.lexicon = own
    np.testing.assert_array_equal(trace.crf.emissions, expected.crf.emissions)
    assert trace_under(flat, TEXT, Conditions()).lattice.nodes[len(TEXT) :] == ("清河", "大学")


def test_texts_in_one_go_are_tagged_as_each_alone(flat):
    texts = [TEXT, "清河", "", "大学🙂清河"]
    together = tag_under(flat, texts, Conditions(removed=("清河",)))
    own, flat.lexicon = flat.lexicon, Lexicon(["大学"])
    alone = [tag(flat, [Document("x", text)])[0].spans for text in texts]
    flat.lexicon = own
    assert [[s.key for s in spans] for spans in together] == [[s.key for s in spans] for spans in alone]


@pytest.mark.parametrize("words", [("",), ("a\tb",), ("x" * 200,)])
def test_what_is_no_word_is_refused_and_the_dictionary_stays(flat, words):
    own = flat.lexicon
    with pytest.raises(LexiconError), under(flat, Conditions(added=words)):
        pass
    assert flat.lexicon is own


def test_queries_and_words_are_put_back_after_an_error(flat):
    mrc = small_tagger("mrc").eval()
    own = mrc.queries
    asked = Conditions(queries={mrc.labels[0]: "找出人名"}, added=("清河",))
    with pytest.raises(RuntimeError, match="找出人名"), under(mrc, asked):
        raise RuntimeError(mrc.queries[0])
    assert mrc.queries == own
    lexicon = flat.lexicon
    with pytest.raises(RuntimeError), under(flat, Conditions(added=("河大",))):
        raise RuntimeError
    assert flat.lexicon is lexicon


def test_what_a_tagger_does_not_read_changes_nothing():
    tagger = small_tagger("bilstm_crf").eval()
    odd = Conditions(added=("清河",), removed=("大学",), queries={"X": "谁"})
    assert [s.key for s in trace_under(tagger, TEXT, odd).spans] == [
        s.key for s in tag(tagger, [Document("x", TEXT)])[0].spans
    ]
    assert not Conditions()
    assert odd
