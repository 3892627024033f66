"""``load`` and what it returns: one text or many, files, scores; what is no model or no text is refused."""

import json

import pytest

import latticelens as ll
from core.taggers.base.tagging import tag


@pytest.fixture(scope="module")
def tagger():
    return ll.load(ll.DEMO_TAGGER, "cpu")


def test_one_text_is_one_document_and_many_are_a_list_in_order(tagger):
    texts = ["张伟在北京大学学习", "", "Marie Curie worked in Paris."]
    many = tagger.tag(texts)
    assert [document.text for document in many] == texts
    assert [document.id for document in many] == ["1", "2", "3"]
    alone = tagger.tag(texts[0])
    assert [span.key for span in alone.spans] == [span.key for span in many[0].spans]
    assert [span.key for span in alone.spans] == [
        span.key for span in tag(tagger.model, [ll.Document("x", texts[0])])[0].spans
    ]
    assert {alone.surface(span) for span in alone.spans} >= {"张伟", "北京大学"}
    assert all(0 <= span.score <= 1 for span in alone.spans)


def test_documents_keep_id_and_meta_and_lose_their_spans(tagger):
    given = ll.Document("a", "下雨了", [ll.Span(0, 2, "PER")], {"n": 1})
    tagged = tagger.tag(given)
    assert (tagged.id, dict(tagged.meta)) == ("a", {"n": 1})
    assert ll.Span(0, 2, "PER").key not in [span.key for span in tagged.spans]
    assert given.spans  # the caller's own is as it was


def test_a_generator_is_read_once_and_progress_is_told(tagger):
    seen = []
    tagged = tagger.tag((text for text in ("杭州", "青岛")), lambda done, total: seen.append((done, total)))
    assert len(tagged) == 2
    assert seen[-1] == (2, 2)


@pytest.mark.parametrize(
    ("texts", "said"), [([b"x"], "text 1 must be a str"), (["a", None], "text 2 must be a str")]
)
def test_what_is_no_text_is_refused_by_its_place(tagger, texts, said):
    with pytest.raises(ll.LatticeLensError, match=said):
        tagger.tag(texts)


def test_a_file_is_tagged_into_another(tagger, tmp_path):
    source, target = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("张伟在北京\n他住在杭州\n", encoding="utf-8")
    tagged = tagger.tag_file(source, target)
    assert [document.text for document in tagged] == ["张伟在北京", "他住在杭州"]
    back = ll.read(target).documents
    assert [[span.key for span in document.spans] for document in back] == [
        [span.key for span in document.spans] for document in tagged
    ]


def test_a_file_without_a_valid_record_is_refused_with_the_reason(tagger, tmp_path):
    source = tmp_path / "bad.jsonl"
    source.write_text(json.dumps({"text": "ab", "label": [[0, 9, "PER"]]}) + "\n", encoding="utf-8")
    with pytest.raises(ll.LatticeLensError, match=r"no record is valid; line 1"):
        tagger.tag_file(source)


def test_scores_count_documents_without_a_span_too(tagger):
    documents = [tagger.tag("张伟在北京"), ll.Document("2", "张伟在北京")]
    scores = tagger.evaluate(documents)
    found = len(documents[0].spans)
    assert found > 0
    assert scores["recall"] == 1
    assert scores["precision"] == 0.5


@pytest.mark.parametrize(("name", "said"), [("nowhere", "there is no model folder"), (".", r"config\.json")])
def test_a_folder_without_a_model_is_refused(tmp_path, name, said):
    with pytest.raises(ll.LatticeLensError, match=said):
        ll.load(tmp_path / name)


@pytest.mark.exhaustive
def test_an_exported_graph_is_a_tagger_too(tmp_path):
    pytest.importorskip("onnxruntime")
    from core.export.onnx.export import export
    from tests.taggers.small_taggers import learned_tagger

    model = learned_tagger("bilstm_crf")
    export(model, tmp_path / "graph")
    torch_tagger, graph = ll.Tagger(model), ll.load(tmp_path / "graph")
    assert (graph.name, set(graph.labels)) == ("bilstm_crf", set(torch_tagger.labels))
    told = []
    texts = ["林晚晴在清河大学教书", "清河大学昨天下雨"]
    found = graph.tag(texts, progress=lambda *count: told.append(count))
    assert told[-1] == (2, 2)
    keys = [[span.key for span in document.spans] for document in found]
    assert keys == [[span.key for span in document.spans] for document in torch_tagger.tag(texts)]
    assert any(keys)
    assert graph.evaluate(found)["f1"] == 1
    with pytest.raises(ll.LatticeLensError, match="runs on the CPU"):
        ll.load(tmp_path / "graph", "cuda")
    (tmp_path / "graph" / "model.onnx").unlink()
    with pytest.raises(ll.LatticeLensError, match=r"model\.onnx"):
        ll.load(tmp_path / "graph")


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(ll.LatticeLensError, match="abacus"):
        ll.load(ll.DEMO_TAGGER, "abacus")
