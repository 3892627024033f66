"""The browser fills strings in as the server does, singular and plural."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.i18n import LANGUAGES, catalogue, text

pytestmark = pytest.mark.browser

SCRIPT = Path(__file__).parents[2] / "assets" / "scripts" / "page" / "messages.js"
SPEAKER = SCRIPT.read_text(encoding="utf-8").replace("export ", "")
SAY_ALL = (
    "([words, values]) => {"
    + SPEAKER
    + """
  const say = speaker(words);
  const told = {};
  for (const language of Object.keys(words)) {
    say.use(language);
    told[language] = {};
    for (const key of Object.keys(values)) told[language][key] = say(key, values[key]);
  }
  return told;
}"""
)
PLACEHOLDER = re.compile(r"\{(\w+)")
# What only one side fills in: a format of Python's own, a place that the server calls otherwise, a regex.
ONE_SIDED = re.compile(r"\{\w+:[^|}]*\}|\{(key|language)\}|\{\d")


@pytest.mark.parametrize("count", [0, 1, 2, "1,001"])
def test_the_browser_says_what_the_server_says(page, count):
    own = {key: pair for key, pair in catalogue().items() if not any(map(ONE_SIDED.search, pair))}
    values = {
        key: dict.fromkeys(names, count)
        for key, (english, _) in own.items()
        if (names := PLACEHOLDER.findall(english))
    }
    words = {language: {key: own[key][at] for key in values} for at, language in enumerate(LANGUAGES)}
    assert len(values) > 100
    assert page.evaluate(SAY_ALL, [words, values]) == {
        language: {key: text(key, language, **given) for key, given in values.items()}
        for language in LANGUAGES
    }


def test_a_count_that_is_not_given_is_left_as_it_is_written(page):
    words = {"en": {"told": "{count} {count:word|words} of {all}"}}
    said = page.evaluate(SAY_ALL, [words, {"told": {"all": 3}}])
    assert said["en"]["told"] == "{count} {count:word|words} of 3"
