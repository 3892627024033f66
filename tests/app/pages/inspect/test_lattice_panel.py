"""The lattice panel of the Inspect page."""

from __future__ import annotations


def test_every_word_of_the_lattice_is_a_bar(look):
    _, value = look()["lattice"]
    assert [word["surface"] for word in value["words"]] == ["岭南", "岭南市", "工作"]
    assert value["spans"][0]["explain"].startswith("岭南市 · LOC")
