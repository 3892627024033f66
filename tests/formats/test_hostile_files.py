"""Files made to do harm: entities in XML, archives that unpack without end or elsewhere, pickles in data."""

import io
import json
import pickle
import zipfile
import zlib
from pathlib import Path

import pytest

from core.formats import FormatError, read_file
from core.formats.framework import archive as archives
from core.formats.framework.archive import files_of, unpack
from core.formats.framework.candidates import different_readings
from core.formats.framework.registry import by_name
from core.formats.framework.source import Source
from core.text import Document, Span
from tests.formats.samples import BIOC_XML, CAS_XMI

BOMB = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12))
    + "]>"
)
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]>'


class Harm:
    """Leaves a trace where it is unpickled."""

    def __init__(self, trace):
        self.trace = str(trace)

    def __reduce__(self):
        return (Path.touch, (Path(self.trace),))


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return path


@pytest.mark.parametrize("head", [BOMB, OUTSIDE], ids=["entities that grow", "a file of the machine"])
@pytest.mark.parametrize("where", ["the document", "the type system"])
def test_xml_with_entities_is_refused_unread(tmp_path, head, where):
    body = CAS_XMI.split("?>\n", 1)[1]
    if where == "the document":
        (tmp_path / "a.xmi").write_text(head + body.replace("拜登在", "&f;&m;"), encoding="utf-8")
    else:
        (tmp_path / "a.xmi").write_text(CAS_XMI, encoding="utf-8")
        types = "<typeSystemDescription>&f;</typeSystemDescription>"
        (tmp_path / "TypeSystem.xml").write_text(head + types, encoding="utf-8")
    result = read_file(tmp_path, "cas_xmi")
    assert result.documents == ()
    assert "declares a document type" in result.refusals[0].reason


@pytest.mark.parametrize("head", [BOMB, OUTSIDE], ids=["entities that grow", "a file of the machine"])
def test_a_collection_with_entities_is_refused_unread(tmp_path, head):
    path = tmp_path / "a.xml"
    path.write_text(head + BIOC_XML.partition('BioC.dtd">')[2].replace("拜登", "&f;&m;"), encoding="utf-8")
    with pytest.raises(FormatError, match="declares a document type"):
        read_file(path)


def test_the_document_type_of_a_collection_is_not_opened(tmp_path):
    (tmp_path / "BioC.dtd").write_text('<!ENTITY f "拜登">', encoding="utf-8")
    path = tmp_path / "a.xml"
    path.write_text(BIOC_XML, encoding="utf-8")
    assert len(read_file(path).documents) == 1
    path.write_text(BIOC_XML.replace("拜登", "&f;"), encoding="utf-8")
    with pytest.raises(FormatError, match="an entity such as &nbsp; is not defined"):
        read_file(path)


def test_a_collection_that_nests_without_end_is_refused(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<collection><source/><document>" + "<a>" * 100_000, encoding="utf-8")
    with pytest.raises(FormatError, match="deep"):
        read_file(path)
    path.write_text(BIOC_XML.replace("</collection>", "<document>" + "<a>" * 100_000), encoding="utf-8")
    result = read_file(path)
    assert len(result.documents) == 1
    assert "deep" in result.refusals[0].reason


def test_xml_with_thousands_of_attributes_is_refused(tmp_path):
    many = " ".join(f'a{at}="x"' for at in range(2000))
    (tmp_path / "a.xmi").write_text(f'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI"><x {many}/></xmi:XMI>')
    with pytest.raises(FormatError, match="an element has more than 1000 attributes"):
        read_file(tmp_path / "a.xmi", "cas_xmi")


def test_xml_that_nests_without_end_is_refused(tmp_path):
    (tmp_path / "a.xmi").write_text("<a>" * 100_000, encoding="utf-8")
    assert "deep" in read_file(tmp_path, "cas_xmi").refusals[0].reason


@pytest.mark.parametrize(
    "name", ["../out.txt", "/tmp/out.txt", "a/../../out.txt", "C:/out.txt", "..\\out.txt"]
)
def test_an_archive_that_names_another_place_is_not_unpacked(tmp_path, name):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("ok.ann", "T1\tA 0 1\tx")
        archive.writestr(name, "x")
    with pytest.raises(FormatError, match="a place outside of it"):
        read_file(tmp_path / "a.zip")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.zip"]


@pytest.mark.parametrize("name", [b"\0hidden", b"."])  # a name ends at NUL
def test_an_archive_with_a_file_that_has_no_name_is_damaged(tmp_path, name):
    place = b"?" * len(name)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("ok.ann", "T1\tA 0 1\tx")
        archive.writestr(place.decode(), "x")
    content = (tmp_path / "a.zip").read_bytes()
    assert content.count(place) == 2
    (tmp_path / "a.zip").write_bytes(content.replace(place, name))
    with pytest.raises(FormatError, match=r"a\.zip cannot be unpacked: it is damaged"):
        read_file(tmp_path / "a.zip")
    with pytest.raises(FormatError, match=r"a\.zip cannot be unpacked: it is damaged"):
        unpack(tmp_path / "a.zip", tmp_path / "out")


def test_a_folder_in_an_archive_may_be_that_of_the_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("./", "")
        archive.writestr("./a.txt", "x")
    unpack(tmp_path / "a.zip", tmp_path / "out")
    assert [path.name for path in files_of(tmp_path / "out")] == ["a.txt"]


def test_a_link_in_an_archive_is_left_out(tmp_path):
    link = zipfile.ZipInfo("secret.txt")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("a.txt", "x")
    unpack(tmp_path / "a.zip", tmp_path / "out")
    assert [path.name for path in files_of(tmp_path / "out")] == ["a.txt"]


def test_archives_that_unpack_without_end_are_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "_FREE_BYTES", 1 << 20)
    zipped(tmp_path / "bomb.zip", a_txt=b"\0" * (8 << 20))
    with pytest.raises(FormatError, match="unpacks without end"):
        unpack(tmp_path / "bomb.zip", tmp_path / "out")
    monkeypatch.setattr(archives, "MOST_BYTES", 1 << 20)
    zipped(tmp_path / "big.zip", **{f"f{n}_txt": bytes(range(256)) * 2048 for n in range(4)})
    with pytest.raises(FormatError, match="unpacks to more than"):
        unpack(tmp_path / "big.zip", tmp_path / "out2")
    monkeypatch.undo()
    monkeypatch.setattr(archives, "MOST_FILES", 3)
    with pytest.raises(FormatError, match="more than 3 files"):
        unpack(tmp_path / "big.zip", tmp_path / "out3")


def test_an_archive_over_the_limits_is_refused_before_a_byte_of_it_is_written(tmp_path, monkeypatch):
    zipped(tmp_path / "many.zip", **{f"f{n}_txt": b"x" * 100 for n in range(20)})
    for limit, most in (("MOST_FILES", 19), ("MOST_BYTES", 1999)):
        with monkeypatch.context() as limited:
            limited.setattr(archives, limit, most)
            with pytest.raises(FormatError, match="take a part"):
                unpack(tmp_path / "many.zip", tmp_path / limit)
        assert not (tmp_path / limit).exists()
    unpack(tmp_path / "many.zip", tmp_path / "out")
    assert len(list(files_of(tmp_path / "out"))) == 20


def test_the_limits_hold_over_an_archive_and_those_in_it(tmp_path, monkeypatch):
    inner = zipped(tmp_path / "inner.zip", a_txt=b"x" * 10, b_txt=b"x" * 10).read_bytes()
    zipped(tmp_path / "outer.zip", one_zip=inner, two_zip=inner)
    monkeypatch.setattr(archives, "MOST_FILES", 5)
    with pytest.raises(FormatError, match="more than 5 files"):
        unpack(tmp_path / "outer.zip", tmp_path / "out")


def test_no_more_is_read_of_a_file_than_the_directory_tells(tmp_path):
    path = zipped(tmp_path / "a.zip", a_txt=b"x" * 5000)
    content = bytearray(path.read_bytes())
    directory = content.index(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = (7).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.zip cannot be unpacked: it is damaged"):
        unpack(path, tmp_path / "out")
    assert (tmp_path / "out" / "a.txt").stat().st_size <= 7


def test_an_archive_of_empty_files_is_refused_unpacked_and_one_that_is_not_empty_saves_it(tmp_path):
    empty = {f"f{n}_ann": b"" for n in range(5)}
    zipped(tmp_path / "a.zip", **empty)
    for read in (read_file, lambda path: unpack(path, tmp_path / "out")):
        with pytest.raises(FormatError, match=r"a\.zip contains only empty files: there is nothing"):
            read(tmp_path / "a.zip")
    assert not (tmp_path / "out").exists()
    zipped(tmp_path / "pairs.zip", **empty, **{f"f{n}_txt": b"" for n in range(5)})
    assert len(read_file(tmp_path / "pairs.zip").documents) == 5  # a document may be empty
    zipped(tmp_path / "b.zip", **empty, **{f"f{n}_txt": f"text {n}" for n in range(5)})
    assert len(read_file(tmp_path / "b.zip").documents) == 5


def test_an_archive_of_no_format_of_several_files_is_told_by_its_names_alone(tmp_path, monkeypatch):
    zipped(tmp_path / "a.zip", **{f"f{n}_txt": "x" for n in range(7)})

    def unpacked(*arguments):
        raise AssertionError("it was unpacked")

    monkeypatch.setattr(archives, "unpack", unpacked)
    with pytest.raises(FormatError, match=r"f0\.txt, f1\.txt.*…\) do not belong .*; import them one by one"):
        read_file(tmp_path / "a.zip")


@pytest.mark.parametrize("name", ["brat", "webanno", "cas_xmi", "cas_json", "datasets"])
def test_an_archive_of_every_format_of_several_files_is_unpacked_and_read(tmp_path, name):
    if name.startswith("cas"):
        pytest.importorskip("cassis")
    if name == "datasets":
        pytest.importorskip("pyarrow")
    documents = [Document(f"d{n}", "拜登在北京。", (Span(3, 5, "LOC"),)) for n in range(3)]
    with (tmp_path / "a.zip").open("wb") as target:
        by_name(name).write_binary(documents, target)
    zipped(tmp_path / "b.zip", inner_zip=(tmp_path / "a.zip").read_bytes())
    for archive in ("a.zip", "b.zip"):
        read = read_file(tmp_path / archive)
        assert (read.format, [one.text for one in read.documents]) == (name, ["拜登在北京。"] * 3)


def test_files_come_in_the_order_of_names_folder_after_folder_without_links_and_junk(tmp_path):
    names = ("b/2.txt", "b/10.txt", "a.txt", "z.txt", "b/c/x.txt", "a/1.txt", "__MACOSX/a.txt", "a/._1.txt")
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    (tmp_path / "round").symlink_to(tmp_path, target_is_directory=True)
    assert [str(path.relative_to(tmp_path)) for path in files_of(tmp_path)] == [
        "a.txt", "z.txt", "a/1.txt", "b/10.txt", "b/2.txt", "b/c/x.txt",
    ]  # fmt: skip
    assert list(files_of(tmp_path / "missing")) == []


def test_archives_in_archives_are_unpacked_three_deep_and_no_deeper(tmp_path):
    inner = tmp_path / "inner.zip"
    content = b"x"
    name = "a_txt"
    for depth in range(4):
        zipped(inner, **{name: content})
        content, name = inner.read_bytes(), "deeper_zip"
        (tmp_path / f"{depth}.zip").write_bytes(content)
    unpack(tmp_path / "2.zip", tmp_path / "out")
    assert [path.name for path in files_of(tmp_path / "out")] == ["a.txt"]
    with pytest.raises(FormatError, match="more than 3 deep"):
        unpack(tmp_path / "3.zip", tmp_path / "out2")


@pytest.mark.parametrize("content", [b"PK\x03\x04", b"PK\x03\x04" + b"x" * 200])
def test_a_damaged_archive_is_refused_by_name(tmp_path, content):
    (tmp_path / "bad.zip").write_bytes(content)
    with pytest.raises(FormatError, match=r"bad\.zip cannot be unpacked"):
        read_file(tmp_path / "bad.zip")


def test_deep_json_and_huge_numbers_refuse_their_record_only(read):
    deep = '{"text": "a", "label": ' + "[" * 100_000 + "]" * 100_000 + "}"
    huge = '{"text": "a", "label": [[' + "9" * 5000 + ', 1, "X"]]}'
    result = read(f'{deep}\n{huge}\n{{"text": "b", "label": []}}\n', "a.jsonl", "doccano")
    assert ([d.text for d in result.documents], len(result.refusals)) == (["b"], 2)
    array = read(f'[{deep},\n{huge},\n{{"text": "b", "label": []}}]', "a.json", "doccano")
    assert ([d.text for d in array.documents], [one.line for one in array.refusals]) == (["b"], [1, 2])


def test_a_pickle_in_a_datasets_folder_is_not_opened(tmp_path):
    pytest.importorskip("pyarrow")
    trace = tmp_path / "trace"
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "state.json").write_text("{}")
    for name in ("data-00000-of-00001.arrow", "indices.pkl", "dataset.arrow"):
        (folder / name).write_bytes(pickle.dumps(Harm(trace)))
    with pytest.raises(FormatError, match="not an Arrow file"):
        read_file(folder)
    assert not trace.exists()


def test_user_data_of_a_docbin_is_not_unpacked(tmp_path):
    spacy = pytest.importorskip("spacy")
    import srsly
    from spacy.tokens import Doc, DocBin

    trace = tmp_path / "trace"
    bin_ = DocBin(store_user_data=True)
    bin_.add(Doc(spacy.vocab.Vocab(), words=["a", "b"], spaces=[True, False]))
    message = srsly.msgpack_loads(zlib.decompress(bin_.to_bytes()))
    message["user_data"] = [pickle.dumps(Harm(trace))]
    (tmp_path / "a.spacy").write_bytes(zlib.compress(srsly.msgpack_dumps(message)))
    assert [document.text for document in read_file(tmp_path / "a.spacy").documents] == ["a b"]
    assert not trace.exists()


def test_an_archive_whose_content_is_damaged_is_refused_by_name(tmp_path):
    path = zipped(tmp_path / "bad.zip", a_txt="拜登在北京。" * 500)
    content = bytearray(path.read_bytes())
    content[40:60] = b"\xff" * 20
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"bad\.zip cannot be unpacked"):
        unpack(path, tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"x\x9c", zlib.compress(b"version attrs"), zlib.compress(b"\x80")])
def test_a_broken_docbin_is_refused_by_name(tmp_path, content):
    pytest.importorskip("spacy")
    (tmp_path / "a.spacy").write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.spacy"):
        read_file(tmp_path / "a.spacy", "docbin")


def test_parquet_of_strange_types_is_read_or_refused_by_row(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "text": ["a", None, "c"],
            "when": pa.array([0, 1, None], pa.timestamp("ns")),
            "raw": pa.array([b"\xff", None, b""], pa.binary()),
            "nan": [float("nan"), 1.0, None],
            "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int8())),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    result = read_file(tmp_path / "a.parquet")
    assert [document.text for document in result.documents] == ["a", "c"]
    assert "row 2" in result.refusals[0].reason
    json.dumps([dict(document.meta) for document in result.documents])
    pq.write_table(pa.table({"n": [1]}), tmp_path / "b.parquet")
    with pytest.raises(FormatError, match="no column with a text"):
        read_file(tmp_path / "b.parquet")
    (tmp_path / "c.parquet").write_bytes(b"PAR1" + b"x" * 50)
    with pytest.raises(FormatError, match=r"c\.parquet is damaged"):
        read_file(tmp_path / "c.parquet")


def test_a_missing_library_is_named_with_what_to_install(tmp_path, monkeypatch):
    import sys

    for module, name, content in (
        ("spacy", "docbin", b"x\x9c"),
        ("pyarrow", "parquet", b"PAR1"),
        ("cassis", "cas_xmi", CAS_XMI.encode()),
    ):
        for held in [one for one in sys.modules if one.split(".")[0] == module]:
            monkeypatch.setitem(sys.modules, held, None)
        monkeypatch.setitem(sys.modules, module, None)
        (tmp_path / "a.xmi").write_bytes(content)
        with pytest.raises(FormatError, match=r"needs the package .*Install it with “pip install "):
            read_file(tmp_path / "a.xmi", name)


def test_an_archive_in_memory_is_the_same_twice(tmp_path):
    from core.formats import by_name
    from core.text import Document, Span

    made = []
    for _ in range(2):
        target = io.BytesIO()
        by_name("brat").write_binary([Document("a", "拜登", (Span(0, 2, "PER"),))], target)
        made.append(target.getvalue())
    assert made[0] == made[1]


@pytest.fixture
def arrow_file(tmp_path):
    """The table of a folder of ``datasets``, with one text of 0x0707 characters."""
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "data-00000-of-00001.arrow"
    batch = pa.record_batch([pa.array(["a" * 0x0707])], names=["text"])
    with pa.ipc.new_stream(path, batch.schema) as stream:
        stream.write_batch(batch)
    (tmp_path / "dataset_info.json").write_text("{}")
    return path


def test_an_arrow_file_whose_offsets_lead_out_of_it_is_refused_by_name(arrow_file):
    path = arrow_file
    before, offsets, after = path.read_bytes().rpartition(b"\0\0\0\0\x07\x07\0\0")
    path.write_bytes(before + offsets[:-1] + b"\x40" + after)
    with pytest.raises(FormatError, match=r"data-00000-of-00001\.arrow is damaged"):
        read_file(path.parent)


def test_an_arrow_file_with_a_length_that_no_memory_holds_is_refused_by_name(arrow_file):
    pa, path = pytest.importorskip("pyarrow"), arrow_file
    with pa.OSFile(str(path)) as file:
        bodies = [pa.ipc.read_message(file).body for _ in range(2)]  # the schema has none
    length = bodies[1].size.to_bytes(8, "little")
    assert path.read_bytes().count(length) == 1
    path.write_bytes(path.read_bytes().replace(length, (1 << 60).to_bytes(8, "little")))
    with pytest.raises(MemoryError), path.open("rb") as stream:
        pa.ipc.open_stream(stream).read_all()
    with pytest.raises(FormatError, match=r"data-00000-of-00001\.arrow is damaged"):
        read_file(path.parent)


def test_a_format_of_folders_may_be_among_those_that_a_single_file_could_be(tmp_path):
    (tmp_path / "a.ann").write_text("T1\tPER 0 2\t拜登\n", encoding="utf-8")
    source = Source(tmp_path / "a.ann")
    assert [one.format for one in different_readings(source, [by_name("brat"), by_name("plain")])] == [
        "plain"
    ]
