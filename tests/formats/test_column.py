"""Column files: every scheme, every known fault, no sentence lost without a word."""

import pytest

from core.formats import WriteOptions, by_name, read_file, write_file
from core.text import Document, Span

NEWS = ["拜", "登", "在", "北", "京", "会", "见", "李"]
TAGS = {
    "bio": ["B-PER", "I-PER", "O", "B-LOC", "I-LOC", "O", "O", "B-PER"],
    "bioes": ["B-PER", "E-PER", "O", "B-LOC", "E-LOC", "O", "O", "S-PER"],
    "bmes": ["B-PER", "E-PER", "O", "B-LOC", "E-LOC", "O", "O", "S-PER"],
    "bilou": ["B-PER", "L-PER", "O", "B-LOC", "L-LOC", "O", "O", "U-PER"],
}
FOUND = ("拜登在北京会见李", [("拜登", "PER"), ("北京", "LOC"), ("李", "PER")])


def rows(tokens, tags, separator="\t", end="\n"):
    return "".join(f"{token}{separator}{tag}{end}" for token, tag in zip(tokens, tags, strict=True))


@pytest.mark.parametrize("separator", ["\t", " ", "  ", " \t", "\tn\tNN\t", " -X- O "])
@pytest.mark.parametrize("scheme", TAGS)
def test_the_first_and_the_last_column_count_between_tabs_or_blanks(one, scheme, separator):
    assert one(rows(NEWS, TAGS[scheme], separator)) == FOUND


@pytest.mark.parametrize("scheme", ["bio", "bioes", "bilou"])
def test_the_scheme_is_told_from_the_tags(read, scheme):
    tags = ["B-ORG", "I-ORG", "I-ORG", *TAGS[scheme][3:]] if scheme == "bio" else TAGS[scheme]
    tokens = NEWS if scheme != "bioes" else [*NEWS, "a", "b", "c"]
    tags = tags if scheme != "bioes" else [*tags, "B-ORG", "I-ORG", "E-ORG"]
    assert read(rows(tokens, tags)).format == scheme


@pytest.mark.parametrize(
    "content",
    [
        rows(NEWS, TAGS["bmes"], end="\r\n"),
        "\ufeff" + rows(NEWS, TAGS["bmes"]),
        "\n\n \n" + rows(NEWS, TAGS["bmes"]) + "\t\n\n",
        "-DOCSTART- -X- O O\n\n" + rows(NEWS, TAGS["bmes"]),
        "-DOCSTART-\tO\n" + rows(NEWS, TAGS["bmes"]),
        rows(NEWS, TAGS["bmes"]).rstrip("\n"),
        rows(NEWS, TAGS["bmes"]).encode("utf-16"),
        rows(NEWS, TAGS["bmes"]).encode("gb18030"),
    ],
    ids=["CRLF", "BOM", "blank lines", "DOCSTART", "DOCSTART joined", "no last break", "UTF-16", "GB18030"],
)
def test_what_stands_around_the_rows_does_not_matter(one, content):
    assert one(content) == FOUND


@pytest.mark.parametrize(
    ("tags", "repaired", "discarded", "line"),
    [
        # As conlleval reads: a span starts at any tag that cannot continue and ends where nothing continues.
        (["O", "I-PER", "I-PER", "O"], ["登在"], [], 2),
        (["B-PER", "I-LOC", "O", "O"], ["拜", "登"], ["拜"], 2),
        (["O", "M-PER", "E-PER", "O"], ["登在"], [], 2),
        (["O", "E-PER", "S-LOC", "O"], ["登", "在"], ["在"], 2),
        (["B-PER", "M-PER", "O", "S-LOC"], ["拜登", "北"], ["北"], 3),
        (["O", "O", "S-LOC", "B-PER"], ["在", "北"], ["在"], 4),
        (["B-PER", "E-PER", "E-PER", "O"], ["拜登", "在"], ["拜登"], 3),
    ],
)
def test_orphan_tags_are_repaired_or_dropped_and_noted_with_their_line(
    one, read, tags, repaired, discarded, line
):
    content = rows(NEWS[:4], tags) + "\n" + rows(NEWS, TAGS["bio" if tags[1][0] == "I" else "bmes"])
    result = read(content)
    assert [result.documents[0].surface(span) for span in result.documents[0].spans] == repaired
    assert result.counts["repaired"] > 0
    assert f"line {line}:" in " ".join(result.notes)
    dropped = read(content, malformed="discard").documents[0]
    assert [dropped.surface(span) for span in dropped.spans] == discarded


def test_m_beside_i_is_the_same_role_and_noted(read):
    result = read(rows(NEWS[:6], ["B-ORG", "M-ORG", "I-ORG", "M-ORG", "E-ORG", "O"]))
    (document,) = result.documents
    assert [document.surface(span) for span in document.spans] == ["拜登在北京"]
    assert result.counts["repaired"] == 0
    assert "mixes I- and M-" in " ".join(result.notes)


def test_iob1_begins_spans_with_i_and_that_is_no_fault(read):
    result = read(rows(NEWS, ["I-PER", "I-PER", "O", "I-LOC", "B-LOC", "O", "O", "I-PER"]))
    (document,) = result.documents
    assert [document.surface(span) for span in document.spans] == ["拜登", "北", "京", "李"]
    assert result.counts["repaired"] == 0
    assert "IOB1" in " ".join(result.notes)


@pytest.mark.parametrize("separator", ["\t", " "])
def test_a_row_without_its_character_is_a_blank(one, separator):
    content = rows(["北", "", "京"], ["B-LOC", "I-LOC", "I-LOC"], separator)
    assert one(content) == ("北 京", [("北 京", "LOC")])


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("登", "line 5: '登' has one column"),
        ("登\tPER", "line 5: 'PER' is not a tag"),
        ("登\tX-PER", "line 5"),
        ("登\tB-", "line 5"),
    ],
)
def test_a_malformed_row_refuses_its_sentence_by_line_and_keeps_the_others(read, tmp_path, bad, reason):
    good = rows(NEWS, TAGS["bio"])
    result = read(f"{rows(NEWS[:2], ['B-PER', 'I-PER'])}\n拜\tB-PER\n{bad}\n在\tO\n\n{good}")
    assert [document.text for document in result.documents] == ["拜登", FOUND[0]]
    (refusal,) = result.refusals
    assert refusal.line == 4
    assert refusal.reason.startswith(reason)
    assert refusal.raw == f"拜\tB-PER\n{bad}\n在\tO\n"
    result.write_refused(tmp_path / "mend.txt")
    mended = (tmp_path / "mend.txt").read_text("utf-8").replace(bad, "登\tI-PER")
    assert [document.text for document in read(mended).documents] == ["拜登在"]


def test_words_join_with_blanks_and_give_their_rows_back(read, tmp_path):
    tokens = ["Mr.", "Biden", ",", "aged", "(", "81", ")", ",", "met", "Xi", "Jinping", "."]
    content = rows(tokens, ["O", "B-PER", *["O"] * 7, "B-PER", "I-PER", "O"]) + "\n"
    result = read(content)
    (document,) = result.documents
    assert document.text == "Mr. Biden, aged (81), met Xi Jinping."
    assert [document.surface(span) for span in document.spans] == ["Biden", "Xi Jinping"]
    assert write_file(result.documents, tmp_path / "back.bio") == {"ids": 1}
    assert (tmp_path / "back.bio").read_text() == content


def test_characters_join_with_nothing_even_where_they_are_latin(read, tmp_path):
    content = rows("买iPhone 6吧".replace(" ", ""), ["O", *["B-PRO", *["I-PRO"] * 6], "O"])
    result = read(content)
    assert result.documents[0].text == "买iPhone6吧"
    write_file(result.documents, tmp_path / "back.bio")
    assert (tmp_path / "back.bio").read_text("utf-8") == content + "\n"


def test_a_sentence_of_digits_in_a_file_of_characters_joins_with_nothing(read):
    result = read(rows(NEWS, TAGS["bio"]) + "\n" + rows("1998", ["O"] * 4))
    assert result.documents[1].text == "1998"


def test_words_and_han_in_one_sentence_join_as_a_reader_would_write_them(one):
    assert (
        one(rows(["我", "爱", "New", "York", "市"], ["O", "O", "B-LOC", "I-LOC", "I-LOC"]))[0]
        == "我爱New York市"
    )


def test_segmentation_digits_are_cut_off_where_every_token_has_one(read):
    tokens = [f"{char}{index % 3}" for index, char in enumerate(NEWS * 4)]
    result = read(rows(tokens, ["O"] * len(tokens)))
    assert result.documents[0].text == "".join(NEWS) * 4
    assert "segmentation digit" in " ".join(result.notes)


def test_spans_inside_a_word_cut_it_and_the_loss_is_counted():
    document = Document("a", "unhappy people", (Span(2, 7, "ADJ"),))
    content, lost = by_name("bio").render(document, WriteOptions())
    assert content == "un\tO\nhappy\tB-ADJ\npeople\tO\n\n"
    assert lost == {"ids": 1, "texts": 1}


def test_blanks_are_no_tokens_and_labels_with_blanks_read_back(read, tmp_path):
    document = Document("a", "北京 上海", (Span(0, 3, "place name"), Span(3, 5, "x")))
    assert write_file([document], tmp_path / "out.bmes") == {"ids": 1, "texts": 1}
    (back,) = read_file(tmp_path / "out.bmes").documents
    assert (back.text, back.spans) == ("北京上海", (Span(0, 2, "place name"), Span(2, 4, "x")))
    assert write_file([document], tmp_path / "out.bmes", options=WriteOptions(separator=" ")) == {
        "labels": 1,
        "ids": 1,
        "texts": 1,
    }
    assert read_file(tmp_path / "out.bmes").documents[0].spans[0].label == "place_name"


def test_only_the_outermost_spans_are_written_and_the_others_counted():
    document = Document(
        "a", "北京大学生", (Span(0, 4, "ORG"), Span(0, 2, "LOC"), Span(3, 5, "PER"), Span(4, 5, "X"))
    )
    content, lost = by_name("bmes").render(document, WriteOptions(separator=" "))
    assert content == "北 B-ORG\n京 M-ORG\n大 M-ORG\n学 E-ORG\n生 S-X\n\n"
    assert lost == {"ids": 1, "nested_spans": 1, "crossing_spans": 1}


def test_a_sentence_of_half_a_million_rows_takes_seconds(read):
    result = read("字\tO\n" * 300_000 + "\n" + rows(NEWS, TAGS["bio"]))
    assert [len(document.text) for document in result.documents] == [300_000, 8]


@pytest.mark.parametrize(
    ("part", "documents", "spans"), [("train", 3821, 13440), ("dev", 463, 1497), ("test", 477, 1630)]
)
def test_resume_comes_in_whole_and_goes_out_as_it_came(shared_data, tmp_path, part, documents, spans):
    path = shared_data / "resume_ner" / f"{part}.char.bmes"
    result = read_file(path)
    assert (len(result.documents), result.counts["spans"], result.refusals) == (documents, spans, ())
    write_file(result.documents, tmp_path / "out.bmes", options=WriteOptions(separator=" "))
    written = (tmp_path / "out.bmes").read_text("utf-8").splitlines()
    original = path.read_text("utf-8").splitlines()
    changed = [index for index, pair in enumerate(zip(original, written, strict=False)) if pair[0] != pair[1]]
    # The four malformed tags of the training part come back repaired; everything else is the same rows.
    assert len(changed) == result.counts["repaired"] == (4 if part == "train" else 0)


def test_crossner_comes_in_as_words_with_its_surfaces(shared_data):
    result = read_file(shared_data / "crossner" / "ai" / "train.txt")
    assert (len(result.documents), result.counts["spans"], result.refusals) == (100, 532, ())
    assert all(not surface[:1].isspace() for d in result.documents for surface in map(d.surface, d.spans))


GERMEVAL = """#\thttp://example.org\t[2026-11-26]
1\tDie\tO\tO
2\tUniversität\tB-ORG\tO
3\tZürich\tI-ORG\tB-LOC
4\tlehrt\tO\tO

#\thttp://example.org\t[2026-11-26]
1\tZürich\tB-LOC\tO
2\tschläft\tO\tO

"""


def test_a_column_of_numbers_is_left_out_and_two_columns_of_tags_are_nested_spans(read):
    result = read(GERMEVAL, "NER-de-train.tsv")
    assert [document.text for document in result.documents] == [
        "Die Universität Zürich lehrt",
        "Zürich schläft",
    ]
    assert [span.key for span in result.documents[0].spans] == [(4, 22, "ORG"), (16, 22, "LOC")]
    assert [span.key for span in result.documents[1].spans] == [(0, 6, "LOC")]
    assert any("numbers the tokens" in note for note in result.notes)


def test_a_further_column_of_tags_is_named_but_chunks_are_not(read):
    rows = "EU\tB-ORG\tB-org\nrejects\tO\tO\n\n"
    result = read(rows, "a.bio", "bio")
    assert [span.label for span in result.documents[0].spans] == ["org"]
    assert any("holds tags, too (ORG)" in note for note in result.notes)
    chunks = "EU NNP I-NP I-ORG\nrejects VBZ I-VP O\n\n"
    assert not any("holds tags" in note for note in read(chunks, "a.conll", "conll2003").notes)


def test_numbers_are_tokens_where_they_do_not_count(read):
    rows = "1\tCD\tO\n2\tCD\tO\n\n7\tCD\tB-X\n\n"
    result = read(rows, "a.bio", "bio")
    assert [document.text for document in result.documents] == ["12", "7"]
