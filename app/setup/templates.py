"""Labels to start from, for four kinds of text, each with a guideline of a sentence and an example.

A template comes in the language of the interface: its names and guidelines are messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.i18n import Message, _, pgettext
from app.ui.server_function import Reply
from core.text import LABEL_COLOURS
from core.text.labels import HOTKEYS


@dataclass(frozen=True, slots=True)
class Template:
    """A title, and name and guideline of each label."""

    title: Message
    labels: tuple[tuple[Message, Message], ...]


TEMPLATES = {
    "news": Template(
        _("News"),
        (
            (
                pgettext("label", "PER"),
                _("Names of people without title or form of address. Example: in “Dr Li Na”, mark “Li Na”."),
            ),
            (
                pgettext("label", "LOC"),
                _("Countries, cities and other places, not inside an organisation. Example: “Beijing”."),
            ),
            (
                pgettext("label", "ORG"),
                _("Companies, authorities, schools and teams by name. Example: “Tsinghua University”."),
            ),
            (
                pgettext("label", "TIME"),
                _("Dates, times and periods that can be placed on a calendar. Example: “3 May 2024”."),
            ),
            (
                pgettext("label", "EVENT"),
                _("Events with a name of their own. Example: “the Hangzhou Asian Games”."),
            ),
        ),
    ),
    "medicine": Template(
        _("Medicine"),
        (
            (
                pgettext("label", "DISEASE"),
                _("Diagnosed diseases, with their type or stage. Example: “type 2 diabetes”."),
            ),
            (
                pgettext("label", "SYMPTOM"),
                _("Complaints and findings that are not a diagnosis. Example: “shortness of breath”."),
            ),
            (
                pgettext("label", "DRUG"),
                _("Drugs by substance or brand, without the dose. Example: in “aspirin 100 mg”, “aspirin”."),
            ),
            (
                pgettext("label", "TEST"),
                _("Examinations and laboratory tests, without their result. Example: “chest CT”."),
            ),
            (
                pgettext("label", "PROCEDURE"),
                _("Operations and other treatments, but not drugs. Example: “coronary stenting”."),
            ),
            (
                pgettext("label", "BODY"),
                _("Parts of the body outside the name of a disease. Example: “left upper lung”."),
            ),
        ),
    ),
    "commerce": Template(
        _("Commerce"),
        (
            (
                pgettext("label", "BRAND"),
                _("Names of brands and makers, without the product. Example: in “Huawei phone”, “Huawei”."),
            ),
            (
                pgettext("label", "PRODUCT"),
                _("The thing that is sold, with its model. Example: “wireless headphones”, “Mate 60 Pro”."),
            ),
            (
                pgettext("label", "SPECIFICATION"),
                _("Size, colour, material and other properties. Example: “500 ml”, “pure cotton”."),
            ),
            (
                pgettext("label", "PRICE"),
                _("Prices and discounts with their currency or unit. Example: “¥199”, “20% off”."),
            ),
            (
                pgettext("label", "SHOP"),
                _("Shops, platforms and channels of sale by name. Example: “JD.com”."),
            ),
        ),
    ),
    "resume": Template(
        _("Résumés"),
        (
            (
                pgettext("label", "NAME"),
                _("The person the résumé is about, and others named in it. Example: “Wu Chongyang”."),
            ),
            (
                pgettext("label", "ORG"),
                _("Employers, schools and associations in full. Example: “Shanghai Pudong Bank”."),
            ),
            (
                pgettext("label", "TITLE"),
                _("Positions and professional titles. Example: “chairman”, “senior engineer”."),
            ),
            (pgettext("label", "EDU"), _("Degrees and levels of education. Example: “master's degree”.")),
            (pgettext("label", "MAJOR"), _("Subjects that were studied. Example: “computer science”.")),
            (pgettext("label", "NATIONALITY"), _("Citizenship of the person. Example: “Chinese national”.")),
            (
                pgettext("label", "ORIGIN"),
                _("Where the person was born or comes from. Example: “born in Hangzhou”: mark “Hangzhou”."),
            ),
        ),
    ),
}


def template_objects(translate: Callable[[Message], str]) -> list[Reply]:
    """The templates with ``name``, ``title`` and ``labels``, the rows of a table of labels."""
    return [
        {
            "name": name,
            "title": translate(template.title),
            "labels": [
                {
                    "name": translate(label),
                    "colour": LABEL_COLOURS[at],
                    "hotkey": HOTKEYS[at],
                    "description": translate(guideline),
                }
                for at, (label, guideline) in enumerate(template.labels)
            ],
        }
        for name, template in TEMPLATES.items()
    ]
