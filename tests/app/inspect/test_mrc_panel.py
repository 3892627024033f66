"""The mrc panel of the Inspect page, over a stand-in trace and over a real, tiny MRC."""

import numpy as np
import pytest
import torch

from app.inspect import page as inspect_page
from app.inspect.panel import Look
from app.inspect.sentence import mrc
from app.inspect.what_if import panel as what_if
from core.store.run import runs
from core.taggers.base.tagger import Resources
from core.taggers.base.trace import MrcTrace, Trace
from core.taggers.mrc.config import MrcConfig
from core.taggers.mrc.queries import LONGEST
from core.taggers.mrc.tagger import Mrc
from core.text import Document, Span
from tests.taggers.small_flat import train
from tests.taggers.tiny_bert import tiny_bert

TEXT = "陈禾在岭南市工作"
TAUGHT = "林晚晴在清河大学教书"


def test_every_query_can_be_chosen(session):
    start = np.full((2, len(TEXT)), 0.5)
    answers = MrcTrace(
        ("LOC", "PER"), ("哪里", "谁"), start, start, np.array([[0, 3, 5]]), np.array([0.7]), True
    )
    look = Look("mrc-0001", Trace(TEXT, tuple(TEXT), (), "mrc", mrc=answers))
    session.memory["inspect"] = look
    shown = mrc.draw(session, look)
    assert shown["query"]["choices"] == [("starts and ends", -1), ("LOC", 0), ("PER", 1)]
    assert len(shown["figure"].data) == 2
    assert [shown[name]["visible"] for name in ("hint", "asked", "put_back", "stage")] == [
        True, False, False, False,
    ]  # fmt: skip
    assert shown["effects"] == {"rows": [], "empty": ""}
    shown = mrc.choose(session, 0, "difference")
    assert (shown["hint"]["visible"], shown["asked"]["visible"]) == (False, True)
    assert shown["asked"]["value"] == "哪里"
    assert shown["figure"].data[0].z[3][5] == 0.7
    assert not any(mrc.choose(session, odd, "x")["asked"]["visible"] for odd in (7, -5, None))


@pytest.fixture(scope="module")
def mrc_folder(tmp_path_factory):
    """An MRC that learned one sentence by heart, so that its answers hang on its queries."""
    torch.manual_seed(0)
    gold = [
        Document("1", TAUGHT, (Span(4, 6, "LOC"), Span(4, 8, "ORG"))),
        Document("2", "昨天清河下雨", (Span(2, 4, "LOC"),)),
    ]
    config = MrcConfig(encoder=tiny_bert(), encoder_rate=1.0, dropout=0.0, match_weight=1.0)
    descriptions = {"LOC": "找出地名", "ORG": "文中提到了哪些机构"}
    tagger = Mrc.build(config, ["LOC", "ORG"], Resources(gold, descriptions=descriptions))
    folder = tmp_path_factory.mktemp("mrc")
    train(tagger, gold, 120, rate=3e-3).save(folder)
    return folder


@pytest.fixture
def asked(session, page, mrc_folder):
    """The session once the MRC has read the sentence it was taught."""
    runs.register(session.workspace, session.project_id, "mrc-0001", "mrc", mrc_folder, {})
    given = [component.value for _, view in page.panels for component in view.choices]
    inspect_page.look_at(session, page.panels, "mrc-0001", TAUGHT, None, *given)
    assert [s.key for s in session.memory["inspect"].trace.spans] == [(4, 8, "ORG"), (4, 6, "LOC")]
    return session


def queries_of(session):
    with session.workbench.taggers.tagger(session.project_id, "mrc-0001") as tagger:
        return tagger.queries


def test_another_query_moves_the_prediction_here_and_nowhere_else(asked):
    mrc.choose(asked, 0, "difference")
    shown = mrc.ask(asked, 0, "机构", "difference")
    with asked.workbench.taggers.tagger(asked.project_id, "mrc-0001") as tagger:
        expected = Mrc.load(asked.workbench.taggers.model_folder("mrc-0001"))
        expected.queries = ("机构", expected.queries[1])
        other = expected.trace(expected.collate([Document("x", TAUGHT)]))[0]
        assert tagger.queries == ("找出地名", "文中提到了哪些机构")
    own = asked.memory["inspect"].trace
    assert (shown["put_back"]["visible"], shown["stage"]["visible"]) == (True, True)
    change = other.mrc.matrix(0) - own.mrc.matrix(0)
    np.testing.assert_allclose(shown["figure"].data[0].z, change, atol=1e-5)
    assert np.nanmax(np.abs(change)) > 0.1
    lost = {s.key for s in own.spans} - {s.key for s in other.spans}
    rows = [row["before"] for row in shown["effects"]["rows"] if row["before"]]
    told = {(row["label"], row["surface"]) for row in rows}
    assert {(label, TAUGHT[start:end]) for start, end, label in lost} <= told
    assert asked.memory["inspect"].trace is own


def test_only_the_edited_label_moves_and_every_stage_can_be_seen(asked):
    own = asked.memory["inspect"].trace.mrc
    figure = mrc.ask(asked, 1, "人名", "difference")["figure"]
    starts = mrc.choose(asked, -1, "difference")["figure"].data[0].z
    np.testing.assert_allclose(starts[0], 0.0, atol=1e-5)
    assert np.abs(starts[1]).max() > 0.01
    before = mrc.choose_stage(asked, 1, "before").data[0].z
    after = mrc.choose_stage(asked, 1, "after").data[0].z
    np.testing.assert_allclose(before, own.matrix(1), atol=1e-6)
    np.testing.assert_allclose(after - before, figure.data[0].z, atol=1e-6)


def test_queries_are_put_back(asked):
    mrc.ask(asked, 0, "机构", "after")
    mrc.ask(asked, 1, "人名", "after")
    assert asked.memory["mrc"].queries == {"LOC": "机构", "ORG": "人名"}
    shown = mrc.put_back(asked, 0, "after")
    assert shown["asked"]["value"] == "找出地名"
    assert (shown["put_back"]["visible"], shown["stage"]["visible"]) == (False, False)
    assert shown["effects"] == {"rows": [], "empty": ""}
    np.testing.assert_allclose(shown["figure"].data[0].z, asked.memory["inspect"].trace.mrc.matrix(0))


def test_the_own_query_written_again_or_an_empty_one_asks_as_before(asked):
    mrc.ask(asked, 0, "机构", "after")
    for written in ("找出地名", "  ", None):
        answers = mrc.ask(asked, 0, written, "after")
        assert asked.memory["mrc"].queries == {}
        if written == "找出地名":
            assert not answers["put_back"]["visible"]
        mrc.ask(asked, 0, "机构", "after")
    asked.memory["mrc"] = mrc.Asked(asked.memory["inspect"].trace, asked.memory["inspect"].trace)
    assert mrc.ask(asked, 0, "找出地名", "after") == {}, "nothing to ask"
    assert mrc.ask(asked, -1, "谁", "after") == {}, "no label is chosen"


def test_the_box_takes_as_much_as_a_tagger_can_be_asked():
    assert mrc.LONGEST == LONGEST


def test_without_an_mrc_in_view_nothing_is_drawn(session, look):
    look()
    assert mrc.choose_stage(session, 0, "after") == {"__type__": "update"}
    for answers in (
        mrc.choose(session, 0, "x"),
        mrc.ask(session, 0, "谁", "x"),
        mrc.put_back(session, 0, "x"),
    ):
        assert answers == {}


def test_what_if_asks_otherwise_too(asked):
    shown = what_if.start_over(asked)
    text = shown["text"]
    assert (shown["dictionary"]["visible"], shown["asking"]["visible"]) == (False, True)
    assert (shown["label"]["value"], shown["query"]) == ("LOC", "找出地名")
    assert what_if.choose_label(asked, "ORG") == "文中提到了哪些机构"
    what_if.ask(asked, text, [], [], "LOC", "机构")
    assert asked.memory["what_if"].changed.mrc.queries == ("机构", "文中提到了哪些机构")
    assert what_if.choose_label(asked, "LOC") == "机构"
    assert what_if.ask(asked, text, [], [], "LOC", "机构") == {}
    assert what_if.ask(asked, text, [], [], "PER", "谁") == {}
    what_if.edit(asked, "昨天" + text, [], [])
    assert asked.memory["what_if"].changed.mrc.queries[0] == "机构", "the query stays while the text changes"
    assert queries_of(asked) == ("找出地名", "文中提到了哪些机构")
