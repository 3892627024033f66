"""The browser fills messages in as the server does, singular and plural."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.i18n import LANGUAGES, Message, text
from app.i18n.catalogue import script_messages
from app.i18n.update import of_scripts

pytestmark = pytest.mark.browser

SCRIPT = Path(__file__).parents[2] / "assets" / "scripts" / "page" / "messages.js"
SPEAKER = SCRIPT.read_text(encoding="utf-8").replace("export ", "")
SPEAKER = re.sub(r"import .*\n", "const pageMessages = (language) => messages[language];\n", SPEAKER)
SAY_ALL = (
    "([table, values, messages]) => {"
    + SPEAKER
    + """
  const say = speaker(table);
  const told = {};
  for (const language of ["en", ...Object.keys(messages)]) {
    say.use(language);
    told[language] = {};
    for (const key of Object.keys(values)) told[language][key] = say(key, values[key]);
  }
  return told;
}"""
)
PLACEHOLDER = re.compile(r"\{([a-z_]\w*)")


def test_browser_and_server_agree(page):
    own = {}
    for _room, message, context in of_scripts():
        one, more = (message, "") if isinstance(message, str) else message
        own[f"{context}/{one}"] = Message(one, more, context)
    placeholders = {
        key: names
        for key, message in own.items()
        if (names := PLACEHOLDER.findall(message.plural or message.template))
    }
    table = {
        key: [own[key].template, own[key].plural]
        if own[key].plural
        else f"{own[key].context}\x04{own[key].template}"
        if own[key].context
        else own[key].template
        for key in placeholders
    }
    sent = {language: script_messages(language) for language in LANGUAGES if language != "en"}
    assert len(placeholders) > 100
    for count in (0, 1, 2, 11, 101):
        values = {key: dict.fromkeys(names, count) for key, names in placeholders.items()}
        assert page.evaluate(SAY_ALL, [table, values, sent]) == {
            language: {key: text(own[key], language, **given) for key, given in values.items()}
            for language in LANGUAGES
        }


def test_a_count_written_for_people_chooses_too_and_a_missing_value_is_left_as_written(page):
    table = {"told": ["{count} word of {all}", "{count} words of {all}"]}
    said = page.evaluate(SAY_ALL, [table, {"told": {"count": "1,001"}}, {}])
    assert said["en"]["told"] == "1,001 words of {all}"


def test_a_message_counts_more_than_one_thing(page):
    table = {
        "told": {
            "text": ["{count} word in {documents}", "{count} words in {documents}"],
            "count": "words",
            "counted": {"documents": ["{count} document", "{count} documents"]},
        }
    }
    said = page.evaluate(SAY_ALL, [table, {"told": {"words": 2, "documents": 1}}, {}])
    assert said["en"]["told"] == "2 words in 1 document"
