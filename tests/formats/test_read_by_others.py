"""Exports are judged by the tools they are for: spaCy, datasets, cassis, and rules that others document."""

import io
import json
import random
import re
import subprocess
import sys
import zipfile
from xml.etree import ElementTree

import pytest

from core.formats import WriteOptions, read_file, write_file
from core.text import Document, Span
from core.text.scoring import score_documents

SPANS = (Span(0, 2, "PER"), Span(3, 5, "LOC"))
RELATION = {"type": "met_in", "from": [0, 2, "PER"], "to": [3, 5, "LOC"]}
CORPUS = [
    Document("1", "拜登 在北京 会见记者", (Span(0, 2, "PER"), Span(4, 6, "LOC"))),
    Document("2", "Joe Biden  met Xi in \u00a0 Paris .", (Span(0, 9, "PER"), Span(15, 17, "PER"))),
    Document("3", "好"),
]
COLUMN_FILES = ["bio", "bmes", "bioes", "bilou", "conll2003", "conll2002", "stanford_ner", "conllu"]
RELATED = [
    Document("1", "拜登在北京会见记者", SPANS, {"relations": [RELATION]}),
    Document("2", "他走了", (Span(0, 1, "PER"),)),
]


@pytest.mark.exhaustive
def test_spacy_convert_takes_column_files(tmp_path):
    spacy = pytest.importorskip("spacy")
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    for name in ("conll2003", "conll2002", "bio"):
        write_file(CORPUS, tmp_path / "in" / f"{name}.ner", name)
    command = ["convert", str(tmp_path / "in"), str(tmp_path / "out"), "-c", "ner", "-l", "xx"]
    answer = subprocess.run(
        [sys.executable, "-m", "spacy", *command], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    for name in ("conll2003", "conll2002", "bio"):
        docs = (
            spacy.tokens.DocBin().from_disk(tmp_path / "out" / f"{name}.spacy").get_docs(spacy.vocab.Vocab())
        )
        entities = [(entity.text.replace(" ", ""), entity.label_) for doc in docs for entity in doc.ents]
        assert entities == [("拜登", "PER"), ("北京", "LOC"), ("JoeBiden", "PER"), ("Xi", "PER")], name


@pytest.mark.parametrize("name", COLUMN_FILES)
def test_no_token_of_a_column_file_is_blank(tmp_path, name):
    path = tmp_path / "a.conll"
    write_file(CORPUS, path, name)
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            assert all(cell.strip() for cell in re.split("[\t ]", line)), line


def test_a_column_file_has_a_blank_line_after_each_sentence_where_that_is_asked_for(tmp_path):
    corpus = [Document("1", "Joe met Xi. He left!\nDr. Xi stayed.", (Span(8, 10, "PER"), Span(12, 34, "X")))]
    path = tmp_path / "a.bio"
    assert write_file(corpus, path, "bio", WriteOptions(sentences=True))["sentences"] == 1
    documents = read_file(path).documents
    assert [[document.surface(span) for span in document.spans] for document in documents] == [
        ["Xi"],
        ["He left! Dr. Xi stayed"],  # a span is not cut
    ]
    assert "sentences" not in write_file(corpus, path, "bio")
    assert len(read_file(path).documents) == 1


def test_doccano_finds_its_labels_under_one_field_in_every_line(tmp_path):
    for corpus, fields in ((RELATED, {"entities", "relations"}), (CORPUS, {"label"})):
        path = tmp_path / "a.jsonl"
        write_file(corpus, path, "doccano")
        for line in path.read_text("utf-8").splitlines():
            assert {"entities", "relations", "label"} & set(json.loads(line)) == fields
    assert read_file(path).documents[0].spans == CORPUS[0].spans


def test_brat_knows_every_type_and_every_line_of_annotations_is_legal(tmp_path):
    path = tmp_path / "a.zip"
    corpus = [*RELATED, Document("3", "北京\n大学", (Span(0, 5, "ORG"),))]
    write_file(corpus, path, "brat")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        configuration = archive.read("annotation.conf").decode()
        pairs = [(archive.read(name).decode(), archive.read(name[:-3] + "txt").decode())
                 for name in names if name.endswith(".ann")]  # fmt: skip
    sections = dict(re.findall(r"\[(\w+)\]\n((?:[^\[\n].*\n)*)", configuration))
    assert list(sections) == ["entities", "relations", "events", "attributes"]
    assert sections["relations"] == "met_in\tArg1:PER, Arg2:LOC\n"
    for standoff, text in pairs:
        seen = set()
        for line in standoff.splitlines():
            name, middle, *surface = line.split("\t")
            assert name not in seen
            seen.add(name)
            kind, *rest = middle.split(" ", 1)
            if name.startswith("T"):
                assert kind in sections["entities"].split("\n")
                extents = [tuple(map(int, pair.split())) for pair in rest[0].split(";")]
                assert surface == [" ".join(text[start:end] for start, end in extents)]
                assert "\n" not in surface[0]
    assert read_file(path).counts["spans"] == 4


def test_label_studio_gets_the_configuration_that_its_regions_name(tmp_path):
    path = tmp_path / "a.json"
    corpus = [*RELATED, Document("3", "x", (Span(0, 1, '<"&>'),))]
    write_file(corpus, path, "label_studio")
    view = ElementTree.fromstring((tmp_path / "a.labelling.xml").read_text("utf-8"))
    names = {tag.get("name") for tag in view}
    labels = {label.get("value") for label in view.iter("Label")}
    assert {relation.get("value") for relation in view.iter("Relation")} == {"met_in"}
    for task in json.loads(path.read_text("utf-8")):
        assert view.find("Text").get("value") == "$text"
        assert "text" in task["data"]
        for region in task["annotations"][0]["result"]:
            if region["type"] == "labels":
                assert {region["from_name"], region["to_name"]} <= names
                assert set(region["value"]["labels"]) <= labels


def test_cassis_reads_a_cas_and_its_types_and_without_them_the_import_says_what_is_lost(tmp_path):
    cassis = pytest.importorskip("cassis")
    write_file(RELATED, tmp_path / "a.zip", "cas_xmi")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        types = cassis.load_typesystem(io.BytesIO(archive.read("TypeSystem.xml")))
        cas = cassis.load_cas_from_xmi(io.BytesIO(archive.read("1.xmi")), types)
        content = archive.read("2.xmi")
    entity = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
    assert [each.value for each in cas.select(entity)] == ["PER", "LOC"]
    alone = tmp_path / "alone.xmi"
    # The layer of a project of its own, which no type system describes here.
    alone.write_bytes(content.replace(b"NamedEntity ", b"Disease ", 1))
    result = read_file(alone)
    assert "Disease (1)" in " ".join(result.notes)
    assert "TypeSystem.xml" in " ".join(result.notes)


def test_spacy_and_datasets_read_their_own(tmp_path):
    spacy = pytest.importorskip("spacy")
    datasets = pytest.importorskip("datasets")
    write_file(CORPUS, tmp_path / "a.spacy")
    docs = spacy.tokens.DocBin().from_disk(tmp_path / "a.spacy").get_docs(spacy.vocab.Vocab())
    assert [[(span.text, span.label_) for span in doc.spans["sc"]] for doc in docs] == [
        [(document.surface(span), span.label) for span in document.spans] for document in CORPUS
    ]
    write_file(CORPUS, tmp_path / "a.parquet")
    table = datasets.load_dataset(
        "parquet", data_files=str(tmp_path / "a.parquet"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert [len(row["spans"]) for row in table] == [2, 2, 0]
    assert all(len(row["tokens"]) == len(row["ner_tags"]) for row in table)


def columns(documents, path, name):
    """The tags of every document in a written column file."""
    write_file(documents, path, name)
    blocks = [block for block in path.read_text("utf-8").split("\n\n") if block.strip()]
    rows = ([line.split() for line in block.splitlines() if not line.startswith("#")] for block in blocks)
    return [[row[-1] for row in sentence if row[0] != "-DOCSTART-"] for sentence in rows]


@pytest.mark.parametrize(("name", "scheme"), [("bio", "IOB2"), ("bioes", "IOBES"), ("bilou", "BILOU")])
def test_seqeval_gives_the_scores_of_the_workbench(tmp_path, name, scheme):
    metrics = pytest.importorskip("seqeval.metrics")
    schemes = pytest.importorskip("seqeval.scheme")
    chance, letters = random.Random(3), "甲乙丙丁"
    gold, predicted = [], []
    for number in range(60):
        text = "".join(chance.choice(letters) for _ in range(12))
        cuts = [Span(at, at + chance.randint(1, 3), chance.choice(("PER", "LOC"))) for at in (0, 3, 6, 9)]
        kept = [span for span in cuts if chance.random() < 0.7]
        # Some are missed, some have another label, some another extent, some are nowhere in the gold.
        changed = [Span(span.start, chance.choice((span.end, span.start + 1)), span.label) for span in cuts]
        gold.append(Document(str(number), text, tuple(kept)))
        predicted.append(Document(str(number), text, tuple(s for s in changed if chance.random() < 0.8)))
    true = columns(gold, tmp_path / "gold", name)
    found = columns(predicted, tmp_path / "predicted", name)
    assert [len(tags) for tags in true] == [len(tags) for tags in found] == [12] * 60
    report = metrics.classification_report(
        true, found, mode="strict", scheme=getattr(schemes, scheme), output_dict=True, zero_division=0
    )
    scores = score_documents(gold, predicted)
    assert 0.2 < scores.micro.f1 < 0.9
    for own, other in ((scores.micro, "micro avg"), *((scores.per_label[k], k) for k in ("PER", "LOC"))):
        theirs = report[other]
        assert (own.precision, own.recall, own.f1) == pytest.approx(
            (theirs["precision"], theirs["recall"], theirs["f1-score"])
        )
        assert own.gold == theirs["support"]
