"""Each limit has a flag; the page for operators lists it with its defaults."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from app.server.limits.flags import FLAGS, flag_of
from app.server.options import parse
from app.services.limits.buckets import Rate
from app.services.limits.table import ALONE, MEGABYTE, Limits

PAGE = Path(__file__).resolve().parents[4] / "docs" / "team.md"


def test_who_shares_a_server_has_limits_and_who_is_alone_has_none():
    assert parse([]).limits == ALONE
    assert parse(["--auth", "users"]).limits == parse(["--host", "0.0.0.0"]).limits == Limits.of_people()
    assert parse(["--demo"]).limits == Limits()


def test_a_flag_changes_one_limit_wherever_the_app_runs():
    given = ["--limit-requests", "20/s", "--limit-upload", "7MB", "--limit-text", "300", "--limit-jobs", "2"]
    for others in ([], ["--demo"]):
        limits = parse([*others, *given]).limits
        assert (limits.requests, limits.upload) == (Rate(20, 1.0), 7 * MEGABYTE)
        assert (limits.characters, limits.jobs) == (300, 2)
    assert parse(["--demo", "--limit-idle", "2h", "--limit-disk", "1GB"]).limits.idle_seconds == 7200
    assert parse(["--demo", "--limit-requests", "off"]).limits.requests is None


@pytest.mark.parametrize("field", FLAGS)
@pytest.mark.parametrize("wrong", ["", "0", "-1", "many", "1.5"])
def test_a_value_that_is_none_is_refused_with_an_example(field, wrong, capsys):
    with pytest.raises(SystemExit):
        parse([f"{flag_of(field)}={wrong}"])
    assert "argument --limit-" in capsys.readouterr().err


@pytest.mark.parametrize("needed", ["upload", "visitors", "idle_seconds"])
def test_what_a_demo_cannot_be_without_cannot_be_off(needed):
    with pytest.raises(SystemExit):
        parse(["--demo", flag_of(needed), "off"])


def test_the_page_for_operators_has_every_flag():
    listed = set(re.findall(r"`(--limit-[a-z-]+)", PAGE.read_text(encoding="utf-8")))
    assert listed == {flag_of(field) for field in FLAGS}
    assert {each.name for each in fields(Limits)} >= FLAGS.keys()
