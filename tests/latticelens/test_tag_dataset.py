"""``tag_dataset``: the example of docs/python.md runs with Ray; what does not fit is refused."""

import re
from pathlib import Path

import pytest

import latticelens as ll

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


@pytest.mark.exhaustive
def test_the_example_of_the_page_runs(capfd):
    ray = pytest.importorskip("ray")
    (block,) = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    # "local": another cluster of this machine, or what one left behind in /tmp, is not joined.
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=128 << 20)
    try:
        names: dict = {"ll": ll}
        exec(compile(block, PAGE.name, "exec"), names)
        rows = sorted(names["tagged"].take_all(), key=lambda row: row["n"])
        expected = ll.load(ll.DEMO_TAGGER, "cpu").tag(rows[0]["text"])
        assert [(s["start"], s["end"], s["label"]) for s in rows[0]["spans"]] == [
            (span.start, span.end, span.label) for span in expected.spans
        ]
        assert (rows[0]["run"], rows[0]["version"], rows[0]["refused"]) == (
            "demo_tagger", ll.__version__, None,
        )  # fmt: skip
        assert (rows[1]["spans"], rows[1]["refused"]) == (None, "the field text is no text")
        items = ray.data.from_items([{"spans": 1, "text": "x"}])
        with pytest.raises(ll.LatticeLensError, match="columns that tagging adds: spans"):
            ll.tag_dataset(items, ll.DEMO_TAGGER)
        with pytest.raises(ll.LatticeLensError, match="no column body; its columns are spans, text"):
            ll.tag_dataset(items, ll.DEMO_TAGGER, text_column="body")
    finally:
        ray.shutdown()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"dataset": [{"text": "x"}]}, "expected a ray.data.Dataset, got list"),
        ({"model": "nowhere"}, "there is no model folder nowhere"),
        ({"workers": 0}, "must be at least 1"),
    ],
)
def test_what_does_not_fit_is_refused(given, said):
    pytest.importorskip("ray")
    asked = {"dataset": None, "model": ll.DEMO_TAGGER, **given}
    with pytest.raises(ll.LatticeLensError, match=said):
        ll.tag_dataset(**asked)
