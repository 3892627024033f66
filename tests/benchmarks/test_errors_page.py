"""The benchmark of the Errors tab draws the whole tab and says how long that took."""

import re

import pytest

from app.inspect.corpus import errors
from benchmarks import errors_page as benchmark


def test_it_times_the_first_call_of_a_session_and_the_next(capsys, monkeypatch):
    shown = []
    show = errors.show
    monkeypatch.setattr(errors, "show", lambda *given: shown.append(show(*given)) or shown[-1])
    assert benchmark.main(["--documents", "40", "--repetitions", "2"]) == 0
    first, *rows = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"40 documents, \d+ labelled spans, all answered by flat-0001", first)
    assert [re.sub(r"\d+\.\d+", "0", row).split("  ")[0] for row in rows] == [
        "memory",
        "first time in a session", "again, nothing changed",
    ]  # fmt: skip
    assert len(shown) == 5  # the first while memory is measured
    for answers in shown:
        assert answers["board"]["visible"]  # the board: no empty state was timed
        assert len(answers["rows"]["rows"]) == 20


def test_an_unknown_option_is_refused():
    with pytest.raises(SystemExit):
        benchmark.main(["--document", "x"])
