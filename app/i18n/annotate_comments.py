"""Strings of the comments beside a document and its spans."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "annotate_comments.title": ("Comments", "评论"),
    "annotate_comments.count": ("Comments, {count} open", "评论，{count} 条未解决"),
    "annotate_comments.none": ("No open comment on this document.", "本文档没有未解决的评论。"),
    "annotate_comments.settled": ("show {count} resolved or deleted", "显示已解决或已删除的 {count} 条"),
    "annotate_comments.hide": ("hide resolved and deleted", "隐藏已解决和已删除的评论"),
    "annotate_comments.write": ("Write a comment", "写评论"),
    "annotate_comments.add": ("add comment", "添加评论"),
    "annotate_comments.on_document": ("on the whole document", "针对整篇文档"),
    "annotate_comments.on_span": ("on “{surface}”", "针对“{surface}”"),
    "annotate_comments.rather_document": ("on the document instead", "改为针对文档"),
    "annotate_comments.look": ("show in the text", "在文本中显示"),
    "annotate_comments.resolve": ("resolve", "解决"),
    "annotate_comments.reopen": ("reopen", "重新打开"),
    "annotate_comments.delete": ("delete", "删除"),
    "annotate_comments.restore": ("bring back", "恢复"),
    "annotate_comments.resolved": ("resolved", "已解决"),
    "annotate_comments.trashed": ("deleted", "已删除"),
    "annotate_comments.unsent": ("not sent yet, kept in this browser", "尚未发送，已保留在此浏览器"),
}
