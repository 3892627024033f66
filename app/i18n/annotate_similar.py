"""Strings of the similar and the key sentences on the Annotate page."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "annotate_similar.title": ("Similar labelled sentences", "相似的已标注句子"),
    "annotate_similar.asking": ("Looking for similar sentences…", "正在查找相似句子……"),
    "annotate_similar.reading": (
        "The finished documents are being read for the first time…",
        "正在首次读取已完成的文档……",
    ),
    "annotate_similar.none": (
        "No finished document has a sentence like this one. Sentences appear here once documents are done.",
        "已完成的文档中没有与此相似的句子。有文档标注完成后，这里会显示相似句子。",
    ),
    "annotate_similar.open": ("Open {name} at this sentence", "打开“{name}”并定位到这句话"),
    "annotate_similar.span": ("{surface}: {label}", "{surface}：{label}"),
    "annotate_similar.comma": ("; ", "；"),
    "annotate_similar.no_spans": ("nothing is labelled in it", "句中没有标注"),
    "annotate_similar.label_here": ("Label {surface} as {label} here", "在本文中将“{surface}”标为 {label}"),
    "annotate_similar.label_many": (
        "Label {surface} as {label} here, {count} {count:time|times}",
        "在本文中将“{surface}”标为 {label}，共 {count} 处",
    ),
    "annotate_similar.back": ("back to where you were", "回到原来的位置"),
    "annotate_similar.no_back": ("There is nowhere to go back to.", "没有可返回的位置。"),
    "annotate_similar.keys": ("Key sentences ({count})", "关键句（{count}）"),
    "annotate_similar.keys_note": (
        "The sentences most others resemble (TextRank). Label these first, and mark only them as looked at.",
        "与其他句子最相似的句子（TextRank）。可以先标注它们，并只把它们记为已看过。",
    ),
    "annotate_similar.go": ("Go to this sentence", "转到这句话"),
    "annotate_similar.rank": ("{rank} times the rank of an average sentence", "是平均句子得分的 {rank} 倍"),
    "annotate_similar.look": ("mark as looked at", "记为已看过"),
    "annotate_similar.looked": ("looked at ✓", "已看过 ✓"),
    "annotate_similar.did_look": ("The sentence counts as looked at.", "这句话已记为看过。"),
    "annotate_similar.did_unlook": ("The sentence no longer counts as marked.", "已取消这句话的“看过”标记。"),
}
