"""Strings of what becomes of an edit whose label somebody has deleted meanwhile."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "annotate_gone_labels.refused": (
        "The label {label} is no longer there, so the edit was not saved yet. Nothing of it is lost.",
        "标签 {label} 已不存在，这次编辑尚未保存。内容没有丢失。",
    ),
    "annotate_gone_labels.title": ("A label is no longer there", "标签已不存在"),
    "annotate_gone_labels.lead": (
        "Somebody took it off the list while this page was open. Your edit is kept in this browser and is "
        "saved as soon as you say what becomes of these spans.",
        "本页打开期间，有人从列表中删除了它。你的编辑保留在此浏览器中，请决定如何处理下列片段，随后即可保存。",
    ),
    "annotate_gone_labels.label": ("{label}: {count} here", "{label}：此处 {count} 个"),
    "annotate_gone_labels.more": ("and {count} more", "另有 {count} 个"),
    "annotate_gone_labels.becomes": ("what becomes of {label}", "{label} 改为"),
    "annotate_gone_labels.as": ("label them {label}", "改标为 {label}"),
    "annotate_gone_labels.drop": ("take them away", "去掉这些片段"),
    "annotate_gone_labels.save": ("save", "保存"),
    "annotate_gone_labels.waits": (
        "The label {label} is no longer there. Until you have decided, nothing of this document is saved; "
        "your edit is kept in this browser.",
        "标签 {label} 已不存在。在你决定之前，本文档的修改不会保存；编辑保留在此浏览器中。",
    ),
    "annotate_gone_labels.elsewhere": (
        "An edit of another document has the label {label}, which is no longer there. It is kept in this "
        "browser.",
        "另一篇文档的编辑使用了已不存在的标签 {label}。该编辑保留在此浏览器中。",
    ),
    "annotate_gone_labels.renamed": (
        "The label {label} is called {next} now; your edit was saved under that name.",
        "标签 {label} 现已改名为 {next}，你的编辑已按新名称保存。",
    ),
    "annotate_gone_labels.did": ("Saved without the label {label}.", "已保存，不再使用标签 {label}。"),
}
