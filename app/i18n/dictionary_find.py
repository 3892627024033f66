"""Strings of the "find" tab of the Dictionary page."""

STRINGS: dict[str, tuple[str, str]] = {
    "dictionary_find.purpose": (
        "Words the dictionary lacks: from raw text, from what people "
        "labelled, and from what the serving tagger "
        "says often and always the same way. Each comes with its contexts, to accept or to reject.",
        "找出词典里还没有的词：来自原始文本、人工标注，以及当前标注器反复给出且类型一致的结果。"
        "每个候选词都附上下文，由你接受或拒绝。",
    ),
    "dictionary_find.busy": (
        "A search is at work in this project. Wait for it, or stop it.",
        "本项目正在查找新词。请等它结束，或先停止它。",
    ),
    "dictionary_find.no_documents": (
        "This project has no documents to search. Import text on the Data page first.",
        "本项目还没有文档。请先在“数据”页导入文本。",
    ),
    "dictionary_find.nothing_chosen": (
        "No candidate reaches that value. Choose a lower one.",
        "没有候选词达到这个数值，请调低一些。",
    ),
    "dictionary_find.nothing_to_undo": (
        "There is nothing left to undo here.",
        "这里没有可以撤销的操作了。",
    ),
    "dictionary_find.empty": (
        "New words are found in this project's documents, and there are none yet.",
        "新词从本项目的文档中发现，目前还没有文档。",
    ),
    "dictionary_find.to_data": ("Import documents", "导入文档"),
    "dictionary_find.how": (
        "The search goes through all documents in the background; you can go on working meanwhile.",
        "查找会在后台读完所有文档，期间可以继续做别的事。",
    ),
    "dictionary_find.start": ("Find words", "查找新词"),
    "dictionary_find.over": ("in {count} {count:document|documents}", "在 {count} 篇文档中"),
    "dictionary_find.found": (
        "{count} {count:candidate|candidates} from {characters} {characters:character|characters} in "
        "{documents} {documents:document|documents}.",
        "在 {documents} 篇文档的 {characters} 个字符中找到 {count} 个候选词。",
    ),
    "dictionary_find.stale": (
        "The documents have changed since: {then} then, {now} now. Find words again to see what is new.",
        "文档在此之后有变化：当时 {then} 篇，现在 {now} 篇。要看到新的候选词，请重新查找。",
    ),
    "dictionary_find.numbers": ("Every value must be a number.", "每一项都要填数字。"),
    "dictionary_find.thresholds": ("What counts as a word in raw text", "原始文本中什么算一个词"),
    "dictionary_find.thresholds_how": (
        "Cohesion is pointwise mutual information at the weakest seam; freedom the smaller entropy of what "
        "stands before and after. Higher values give fewer and surer words.",
        "凝固度是词内最弱切分处的点互信息；自由度是左右邻字熵中较小的一个。数值越高，词越少也越可靠。",
    ),
    "dictionary_find.field.count": ("Least occurrences", "最少出现次数"),
    "dictionary_find.field.cohesion": ("Least cohesion (bits)", "最低凝固度（比特）"),
    "dictionary_find.field.freedom": ("Least freedom (bits)", "最低自由度（比特）"),
    "dictionary_find.field.longest": ("Longest (characters or words)", "最长（字或单词）"),
    "dictionary_find.beyond_base": (
        "Leave out words of the base dictionary (jieba)",
        "排除基础词典（jieba）已有的词",
    ),
    "dictionary_find.doing.reading": ("Reading documents", "正在读取文档"),
    "dictionary_find.doing.counting": ("Counting", "正在统计"),
    "dictionary_find.doing.comparing": ("Comparing with labels", "正在与标注比较"),
    "dictionary_find.doing.showing": ("Looking up contexts", "正在查找上下文"),
    "dictionary_find.sources": ("Where candidates come from", "候选词来源"),
    "dictionary_find.source.text": ("Raw text ({count})", "原始文本（{count}）"),
    "dictionary_find.source.labels": ("Labels ({count})", "人工标注（{count}）"),
    "dictionary_find.source.tagger": ("Tagger ({count})", "标注器（{count}）"),
    "dictionary_find.source_how.text": (
        "Often together, held together inside, free outside. The type "
        "is what labels or the tagger say of the "
        "same word, where they say one.",
        "经常同现、内部凝固、外部自由的字串。若标注或标注器给过同一词的类型，则作为建议类型。",
    ),
    "dictionary_find.source_how.labels": (
        "What people labelled and the dictionary does not hold with "
        "that type. The share says how much of what "
        "was looked at has this label; * means that some has another one.",
        "人工标注过、而词典中没有该类型的词。“占比”指看过的出现处中有多少标为此类；* 表示也有别的标签。",
    ),
    "dictionary_find.source_how.tagger": (
        "What the serving tagger found at least 3 times, and as one type at 90 % of its places or more.",
        "当前标注器至少找到 3 次，并且在 90% 以上的出现处给出同一类型的词。",
    ),
    "dictionary_find.sorted": ("Order", "排序"),
    "dictionary_find.containing": ("Containing", "包含"),
    "dictionary_find.search": ("characters of the word", "词中的字"),
    "dictionary_find.order.score": ("cohesion × freedom", "凝固度 × 自由度"),
    "dictionary_find.order.count": ("how often", "次数"),
    "dictionary_find.order.documents": ("documents", "文档数"),
    "dictionary_find.order.cohesion": ("cohesion", "凝固度"),
    "dictionary_find.order.freedom": ("freedom", "自由度"),
    "dictionary_find.order.share": ("share", "占比"),
    "dictionary_find.candidates": ("Candidates", "候选词"),
    "dictionary_find.column.word": ("Word", "词"),
    "dictionary_find.column.count": ("Times", "次数"),
    "dictionary_find.column.cohesion": ("Cohesion", "凝固度"),
    "dictionary_find.column.freedom": ("Freedom", "自由度"),
    "dictionary_find.column.share": ("Share", "占比"),
    "dictionary_find.column.decision": ("Type and decision", "类型与决定"),
    "dictionary_find.in_documents": ("in {count} {count:document|documents}", "{count} 篇文档"),
    "dictionary_find.no_type": ("no type", "无类型"),
    "dictionary_find.type_of": ("Type of {word}", "{word} 的类型"),
    "dictionary_find.accept": ("Accept", "接受"),
    "dictionary_find.reject": ("Reject", "拒绝"),
    "dictionary_find.accept_word": ("Accept {word}", "接受 {word}"),
    "dictionary_find.reject_word": ("Reject {word}", "拒绝 {word}"),
    "dictionary_find.more": ("Show {count} more of {left}", "再显示 {count} 个（还有 {left} 个）"),
    "dictionary_find.kept": (
        "{found} were found; the best 2,000 are kept. Higher thresholds, or accepting and searching again, "
        "bring the others.",
        "共找到 {found} 个，保留最好的 2,000 个。提高门槛，或接受一批后再次查找，可以看到其余的。",
    ),
    "dictionary_find.above": ("Accept all from a value on", "接受达到某个数值的全部候选词"),
    "dictionary_find.above_at_least": ("{order} at least", "{order} 不低于"),
    "dictionary_find.above_type": ("Type of those without", "没有类型的设为"),
    "dictionary_find.above_preview": ("Show which", "先看看有哪些"),
    "dictionary_find.above_count": (
        "{count} {count:word|words}, {untyped} of them without a type. The first of them:",
        "共 {count} 个词，其中 {untyped} 个没有类型。排在前面的有：",
    ),
    "dictionary_find.above_apply": ("Accept these {count} {count:word|words}", "接受这 {count} 个词"),
    "dictionary_find.nothing.search": ("No candidate contains that.", "没有包含这些字的候选词。"),
    "dictionary_find.nothing.text": (
        "No candidate is left. Lower thresholds, or more text, bring others.",
        "没有候选词了。降低门槛或增加文本可以得到更多。",
    ),
    "dictionary_find.nothing.labels": (
        "The dictionary holds everything that people labelled so far.",
        "目前人工标注过的词，词典里都有了。",
    ),
    "dictionary_find.nothing.tagger": (
        "The serving tagger says nothing often enough that the "
        "dictionary lacks. It is asked on the Tag and "
        "Annotate pages.",
        "标注器反复给出的词，词典里都有了。可在“标注”等页面让它回答更多文档。",
    ),
    "dictionary_find.nothing.no_tagger": (
        "No tagger serves this project yet. Train one, and serve it.",
        "本项目还没有启用的标注器。请先训练并启用一个。",
    ),
}
