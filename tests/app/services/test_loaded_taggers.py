"""The active tagger: loaded once, with the words of the project that asks."""

from types import SimpleNamespace

import pytest

from app.services import loaded_taggers
from app.services.errors import AppError
from core.lexicon import Lexicon
from core.store import NotFound
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import returning as lexicon_returning
from core.store.project import projects
from core.store.run import runs
from core.taggers.base.tagger import ModelFolderError
from core.text import Document, Span
from tests.store.by_hand import add_words
from tests.taggers.pu.test_encoder_choice import small_pu


class WordTagger:
    """Labels every word of its lexicon."""

    labels = ("WORD",)
    supports_nested = False
    usual_length: int | None = None

    def __init__(self):
        self.lexicon = Lexicon(["北京"])

    def to(self, device):
        self.device = device


@pytest.fixture
def loads(monkeypatch):
    """Every loading of a tagger, by folder; tagging is matching words."""
    loaded = []

    def load_tagger(folder):
        loaded.append(folder)
        return WordTagger()

    def tag(tagger, documents, *, progress=None):
        return [
            Document(
                x.id,
                x.text,
                tuple(Span(m.head, m.tail + 1, "WORD", 0.5) for m in tagger.lexicon.match(x.text)),
            )
            for x in documents
        ]

    monkeypatch.setattr("core.taggers.base.model_folder.load_tagger", load_tagger)
    monkeypatch.setattr("core.taggers.base.tagging.tag", tag)
    return loaded


@pytest.fixture
def served(session, tmp_path, loads):
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        runs.register(session.workspace, session.project_id, name, "flat", tmp_path / name, {})
    projects.set_active(session.workspace, session.project_id, "one")
    return session


def words(session, text, run=None):
    (answer,) = session.workbench.taggers.tag(session.project_id, [Document("x", text)], run)
    return [answer.surface(span) for span in answer.spans]


def test_without_an_active_run_the_person_is_sent_to_train(session):
    with pytest.raises(AppError, match="Train page"), session.workbench.taggers.tagger(session.project_id):
        pytest.fail("there is nothing to give")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('{"usual_length": 45}', 45), ("{}", None), ("[45]", None), ("{", None), ("", None),
        ('{"usual_length": true}', None), ('{"usual_length": -3}', None), ('{"usual_length": "45"}', None),
    ],
)  # fmt: skip
def test_the_usual_length_is_read_without_loading(served, tmp_path, loads, header, expected):
    (tmp_path / "two" / "config.json").write_text(header, encoding="utf-8")
    taggers = served.workbench.taggers
    assert taggers.usual_length(served.project_id, "two") == expected
    assert taggers.usual_length(served.project_id) is None, "no header at all"
    assert loads == []


def test_by_parts_every_document_comes_once_in_order_with_the_spans_of_all_its_parts(served, monkeypatch):
    monkeypatch.setattr(loaded_taggers, "PART", 1000)
    texts = ["北京。", "", "我在北京。" * 1000, "下雨", "北京人。" * 30]
    asked = [Document(str(at), text, meta={"place": at}) for at, text in enumerate(texts)]
    steps = list(served.workbench.taggers.tag_by_parts(served.project_id, asked))
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    assert steps[-1][0] == sum(map(len, texts))
    assert len(steps) > 4
    answered = [document for _, ready in steps for document in ready]
    assert [(item.id, item.text, item.meta) for item in answered] == [(d.id, d.text, d.meta) for d in asked]
    at_once = served.workbench.taggers.tag(served.project_id, asked)
    assert [item.spans for item in answered] == [item.spans for item in at_once]
    assert len(answered[2].spans) == 1000


def test_an_unknown_run_is_refused(served):
    with pytest.raises(NotFound, match="nobody"):
        words(served, "x", "nobody")


def test_a_tagger_is_loaded_when_first_asked_and_kept(served, loads, tmp_path):
    assert words(served, "在北京") == words(served, "在北京") == ["北京"]
    assert loads == [tmp_path / "one"]
    assert served.workbench.taggers.is_loaded("one")


def test_words_added_and_removed_act_at_once_and_undoing_takes_them_back(served):
    workspace, project = served.workspace, served.project_id
    add_words(workspace, project, {"东湖": "LOC"}, user="lin")
    assert words(served, "北京东湖") == ["北京", "东湖"]
    lexicon_changes.remove(workspace, project, ["北京"], user="lin")
    assert words(served, "北京东湖") == ["东湖"]
    lexicon_returning.undo(workspace, project, user="lin")
    lexicon_returning.undo(workspace, project, user="lin")
    assert words(served, "北京东湖") == ["北京"]


def test_another_projects_words_are_its_own(served):
    other = projects.create(served.workspace, "other").id
    lexicon_changes.remove(served.workspace, other, ["北京"], user="lin")
    (answer,) = served.workbench.taggers.tag(served.project_id, [Document("x", "北京")], "one")
    assert [answer.surface(span) for span in answer.spans] == ["北京"]


def test_runs_of_another_project_are_refused(served):
    other = projects.create(served.workspace, "other").id
    with pytest.raises(NotFound):
        served.workbench.taggers.tag(other, [Document("x", "北京")], "one")


def test_only_the_latest_taggers_stay_in_memory(served, loads):
    for run in ("one", "two", "one", "three", "one"):
        words(served, "x", run)
    assert [folder.name for folder in loads] == ["one", "two", "three"]
    assert not served.workbench.taggers.is_loaded("two")


def test_forgetting_loads_anew(served, loads):
    words(served, "x")
    served.workbench.taggers.clear()
    words(served, "x")
    assert len(loads) == 2


def test_a_tagger_without_a_lexicon_is_used_as_it_is(served, monkeypatch):
    bare = SimpleNamespace(labels=("A",), to=lambda device: None)
    monkeypatch.setattr("core.taggers.base.model_folder.load_tagger", lambda folder: bare)
    assert served.workbench.taggers.labels(served.project_id) == ("A",)
    assert not hasattr(bare, "lexicon")


def test_words_take_effect_at_once_on_pu_over_a_lexicon_tagger(session, tmp_path):
    small_pu("soft_lexicon").save(tmp_path / "pu")
    runs.register(session.workspace, session.project_id, "pu", "pu", tmp_path / "pu", {})

    def nodes():
        with session.workbench.taggers.tagger(session.project_id, "pu") as tagger:
            return tagger.trace(tagger.collate([Document("x", "教书河下雨")]))[0].lattice.nodes

    assert "河下雨" not in nodes()
    add_words(session.workspace, session.project_id, {"河下雨": ""}, user="lin")
    assert "河下雨" in nodes()
    lexicon_returning.undo(session.workspace, session.project_id, user="lin")
    assert "河下雨" not in nodes()


def test_a_tagger_whose_folder_is_gone_says_which_and_what_to_do(session, tmp_path):
    runs.register(session.workspace, session.project_id, "lost", "flat", tmp_path / "lost", {})
    taggers = session.workbench.taggers
    with pytest.raises(AppError, match=r"folder of lost is gone: .*lost.*choose another run"):
        taggers.labels(session.project_id, "lost")
    (tmp_path / "lost").mkdir()
    with pytest.raises(ModelFolderError):
        taggers.labels(session.project_id, "lost")


def test_the_active_tagger_is_read_ahead_once(served, loads, tmp_path):
    taggers = served.workbench.taggers
    taggers.read_ahead(served.project_id).result(60)
    assert taggers.is_loaded("one")
    assert taggers.read_ahead(served.project_id) is None
    assert words(served, "在北京") == ["北京"]
    assert loads == [tmp_path / "one"]


def test_what_cannot_be_read_ahead_is_told_of_when_somebody_asks(served, tmp_path, monkeypatch):
    tried = []

    def load_tagger(folder):
        tried.append(folder)
        raise ModelFolderError("{path} is damaged", path=folder)

    monkeypatch.setattr("core.taggers.base.model_folder.load_tagger", load_tagger)
    other = projects.create(served.workspace, "no tagger yet").id
    assert served.workbench.taggers.read_ahead(other) is None
    served.workbench.taggers.read_ahead(served.project_id).result(60)
    assert tried == [tmp_path / "one"]
    with pytest.raises(ModelFolderError, match="is damaged"):
        words(served, "x")
