"""Strings of the Annotate page about other occurrences of a span and about labels replaced."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "annotate_places.others.select_first": ("Choose a mark first.", "请先选择一个标记。"),
    "annotate_places.others.title": (
        "Other occurrences of “{surface}” for {label}",
        "“{surface}”的其他出现处，标为 {label}",
    ),
    "annotate_places.others.places": ("Places", "位置"),
    "annotate_places.others.here": ("in this document: {count}", "在本文档中：{count} 处"),
    "annotate_places.others.all": ("in all documents of the project", "在项目的所有文档中"),
    "annotate_places.others.all_found": (
        "in all documents: {count}, in {documents} {documents:other|others} besides this one",
        "在所有文档中：{count} 处，除本文档外还有 {documents} 篇",
    ),
    "annotate_places.others.none": ("It stands nowhere else in this document.", "本文档中没有其他出现处。"),
    "annotate_places.others.none_anywhere": (
        "It stands nowhere else in the project.",
        "本项目中没有其他出现处。",
    ),
    "annotate_places.others.more": ("more places", "更多位置"),
    "annotate_places.others.already": ("already {label}", "已是 {label}"),
    "annotate_places.others.other": ("labelled {labels}", "已标为 {labels}"),
    "annotate_places.others.inside": ("part of a longer word", "较长词语的一部分"),
    "annotate_places.others.apply": ("label {count} as {label}", "将 {count} 处标为 {label}"),
    "annotate_places.tick.all": ("tick all that are shown", "勾选所有显示的"),
    "annotate_places.tick.none": ("tick none", "全部不勾选"),
    "annotate_places.undo_in_order": (
        "Other edits came after it: undo those first, or open one of the other documents and undo there.",
        "之后还有其他修改：请先撤销它们，或打开其中一篇文档再撤销。",
    ),
    "annotate_places.replace.title": ("Find and replace labels", "查找并替换标签"),
    "annotate_places.replace.from": ("every", "所有"),
    "annotate_places.replace.to": ("becomes", "改为"),
    "annotate_places.replace.remove": ("no label (remove it)", "无标签（删除）"),
    "annotate_places.replace.here": ("in this document", "在本文档中"),
    "annotate_places.replace.all": ("in all documents of the project", "在项目的所有文档中"),
    "annotate_places.replace.surfaces": ("Texts that carry the label", "带有该标签的文字"),
    "annotate_places.replace.times": ("{count} ×", "{count} 次"),
    "annotate_places.replace.none": ("Nothing is labelled {label} there.", "没有标为 {label} 的文字。"),
    "annotate_places.replace.apply": (
        "change {count} × {label} to {next}",
        "将 {count} 个 {label} 改为 {next}",
    ),
    "annotate_places.replace.apply_remove": ("remove {count} × {label}", "删除 {count} 个 {label}"),
}
