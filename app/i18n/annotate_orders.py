"""Strings of the order of the queue on the Annotate page."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "annotate_orders.choose": ("Order: {name}", "顺序：{name}"),
    "annotate_orders.list": ("Orders of the queue", "队列的顺序"),
    "annotate_orders.group.plain": ("Plain", "普通"),
    "annotate_orders.group.doubt": ("What the tagger doubts", "标注器拿不准的"),
    "annotate_orders.group.disagreement": ("Where two sources disagree", "两个来源不一致的"),
    "annotate_orders.group.coverage": ("What is rare, typical or new", "罕见、典型或新颖的"),
    "annotate_orders.group.evaluation": ("For honest evaluation", "用于公正评测"),
    # names and one line each
    "annotate_orders.name.position": ("as imported", "导入顺序"),
    "annotate_orders.about.position": ("As the documents came.", "按文档导入的先后。"),
    "annotate_orders.name.random": ("random", "随机"),
    "annotate_orders.about.random": (
        "By chance, always the same: no document is favoured.",
        "随机但每次相同：不偏向任何文档。",
    ),
    "annotate_orders.name.least_confident": ("least confident span", "最没把握的片段"),
    "annotate_orders.about.least_confident": (
        "The lowest probability of a predicted span. Long texts come early.",
        "预测片段中最低的概率。长文本会靠前。",
    ),
    "annotate_orders.name.mnlp": ("unlikely for its length (MNLP)", "按长度归一的低似然（MNLP）"),
    "annotate_orders.about.mnlp": (
        "The probability of the best reading, per character: long texts are not favoured.",
        "最佳标注序列的概率，按每个字计算：不偏向长文本。",
    ),
    "annotate_orders.name.viterbi_gap": ("two readings almost equal", "两种读法难分高下"),
    "annotate_orders.about.viterbi_gap": (
        "How far the best reading is ahead of the second best (Viterbi gap).",
        "最佳读法领先次佳读法多少（维特比差距）。",
    ),
    "annotate_orders.name.boundary": ("unsure only where it ends", "只对边界拿不准"),
    "annotate_orders.about.boundary": (
        "Something is surely there, but its first or last character is in doubt.",
        "肯定有实体，但首尾在哪里拿不准。",
    ),
    "annotate_orders.name.disagreement": ("two taggers disagree", "两个标注器不一致"),
    "annotate_orders.about.disagreement": (
        "The serving run against the newest other run: fewest spans in common.",
        "启用的模型与最新的另一次训练相比，共同的片段最少。",
    ),
    "annotate_orders.name.against_dictionary": ("tagger against dictionary", "标注器与词典不一致"),
    "annotate_orders.about.against_dictionary": (
        "Most dictionary words that the tagger leaves out, cuts or calls something else.",
        "被标注器漏掉、切断或标成别的类型的词典词最多。",
    ),
    "annotate_orders.name.rare_label": ("rare labels", "罕见的标签"),
    "annotate_orders.about.rare_label": (
        "Documents that seem to hold what has been labelled least.",
        "看来含有目前标得最少的标签。",
    ),
    "annotate_orders.name.textrank": ("typical texts (TextRank)", "典型文本（TextRank）"),
    "annotate_orders.about.textrank": (
        "Sentences that most others resemble. Needs no tagger.",
        "与大多数句子相似的句子。不需要标注器。",
    ),
    "annotate_orders.name.k_centre": ("unlike what is labelled (k-centre)", "与已标注的差别最大（k 中心）"),
    "annotate_orders.about.k_centre": (
        "Always the document farthest from all labelled or listed before it.",
        "总是选与已标注和已排在前面的文档相距最远的一篇。",
    ),
    "annotate_orders.name.doubtful_and_diverse": ("doubtful and different", "拿不准且各不相同"),
    "annotate_orders.about.doubtful_and_diverse": (
        "Doubt times distance: what the tagger doubts, without asking twice about the same.",
        "不确定程度乘以距离：问拿不准的，但不重复问同类的。",
    ),
    "annotate_orders.name.apart": ("random slice for evaluation", "评测用的随机样本"),
    "annotate_orders.about.apart": (
        "A fixed random share for the test set: never chosen by doubt, never trained on.",
        "固定的随机份额，归入测试集：从不按疑问挑选，也从不用于训练。",
    ),
    # where an order stands
    "annotate_orders.missing": ("Not scored yet.", "尚未计算。"),
    "annotate_orders.score": ("score the documents", "计算顺序"),
    "annotate_orders.stale": (
        "Scored for {made_for}; now it would be {now}.",
        "分数来自 {made_for}；现在应使用 {now}。",
    ),
    "annotate_orders.refresh": ("score again", "重新计算"),
    "annotate_orders.waiting": (
        "{waiting} {waiting:document has|documents have} no score yet.",
        "还有 {waiting} 篇没有分数。",
    ),
    "annotate_orders.running": ("scoring: {percent} %", "正在计算：{percent} %"),
    "annotate_orders.stop": ("stop", "停止"),
    "annotate_orders.scored": ("Scored with {made_for}.", "由 {made_for} 计算。"),
    "annotate_orders.texts": ("the texts alone", "文本本身"),
    "annotate_orders.failed": ("Not scored: {error}", "未能计算：{error}"),
    "annotate_orders.done": ("The queue is in its new order.", "队列已按新顺序排列。"),
    "annotate_orders.busy": (
        "Another order is being scored. Wait for it, or stop it there.",
        "正在计算另一种顺序。请等待，或在那里停止。",
    ),
    "annotate_orders.need.tagger": (
        "This order needs a serving tagger: train one on the Train page.",
        "这种顺序需要已启用的标注器：请先在“训练”页训练一个。",
    ),
    "annotate_orders.need.chain": (
        "The serving tagger does not score tag sequences (no CRF or softmax over tags). "
        "Choose another order.",
        "启用的标注器不对标签序列打分（没有 CRF 或 softmax）。请选择其他顺序。",
    ),
    "annotate_orders.need.second": (
        "This order compares two finished runs, and there is only one. Train another.",
        "这种顺序要比较两次完成的训练，目前只有一次。请再训练一个。",
    ),
    "annotate_orders.need.dictionary": (
        "This order needs words with a type: give some on the Dictionary page.",
        "这种顺序需要带类型的词：请在“词典”页为一些词指定类型。",
    ),
    "annotate_orders.need.labelled": (
        "This order looks at what is labelled, and nothing is. Label some documents first.",
        "这种顺序要看已标注的内容，目前还没有。请先标注一些文档。",
    ),
    # what a simulation says an order saves
    "annotate_orders.saves": (
        "Simulated on {corpus}: {share} % of the full F1 after {documents} {documents:document|documents}, "
        "by chance after {random}.",
        "在 {corpus} 上的模拟：标注 {documents} 篇达到完整 F1 的 {share} %，随机顺序需 {random} 篇。",
    ),
    "annotate_orders.saves_characters": (
        "Counted in characters: {characters}, by chance {random_characters}.",
        "按字数计：{characters} 字，随机顺序 {random_characters} 字。",
    ),
    "annotate_orders.saves_not": (
        "Simulated on {corpus}: {share} % of the full F1 was not reached within {most} "
        "{most:document|documents}.",
        "在 {corpus} 上的模拟：{most} 篇以内未达到完整 F1 的 {share} %。",
    ),
    # the slice set apart
    "annotate_orders.apart_none": ("Nothing is set apart yet.", "还没有留出样本。"),
    "annotate_orders.apart_share": (
        "Share of the documents nobody has labelled, in percent",
        "占未标注文档的百分比",
    ),
    "annotate_orders.apart_set": ("set {percent} % apart", "留出 {percent} %"),
    "annotate_orders.apart_count": (
        "{count} {count:document is|documents are} set apart, {done} of them done.",
        "留出了 {count} 篇，其中 {done} 篇已完成。",
    ),
    "annotate_orders.apart_back": ("give back what is not labelled", "放回未标注的"),
    "annotate_orders.apart_mark": ("set apart for evaluation", "留作评测"),
    "annotate_orders.apart_badge": ("test", "评测"),
    # what a row shows; {value} is a number
    "annotate_orders.row.least_confident": ("{value}", "{value}"),
    "annotate_orders.row.mnlp": ("{value} / char", "{value}/字"),
    "annotate_orders.row.viterbi_gap": ("{value}×", "{value} 倍"),
    "annotate_orders.row.boundary": ("{value}", "{value}"),
    "annotate_orders.row.disagreement": ("{percent} %", "{percent} %"),
    "annotate_orders.row.against_dictionary": ("{whole}", "{whole} 词"),
    "annotate_orders.row.rare_label": ("{value}", "{value}"),
    "annotate_orders.row.textrank": ("{value}×", "{value} 倍"),
    "annotate_orders.row.k_centre": ("no. {whole}", "第 {whole}"),
    "annotate_orders.row.doubtful_and_diverse": ("no. {whole}", "第 {whole}"),
    "annotate_orders.said.least_confident": (
        "lowest probability of a predicted span: {value}",
        "预测片段的最低概率：{value}",
    ),
    "annotate_orders.said.mnlp": (
        "probability of the best reading per character: {value}",
        "最佳读法每字的概率：{value}",
    ),
    "annotate_orders.said.viterbi_gap": (
        "the best reading is {value} times as likely as the second",
        "最佳读法的可能性是次佳的 {value} 倍",
    ),
    "annotate_orders.said.boundary": (
        "probability that a span is there with other ends: {value}",
        "片段存在但边界不同的概率：{value}",
    ),
    "annotate_orders.said.disagreement": ("the two runs differ by {percent} %", "两次训练相差 {percent} %"),
    "annotate_orders.said.against_dictionary": (
        "dictionary words contradicted: {whole}",
        "与词典冲突的词：{whole} 个",
    ),
    "annotate_orders.said.rare_label": ("weight of rare labels: {value}", "罕见标签的权重：{value}"),
    "annotate_orders.said.textrank": (
        "{value} times the rank of an average sentence",
        "是平均句子得分的 {value} 倍",
    ),
    "annotate_orders.said.k_centre": ("chosen as number {whole}", "第 {whole} 个被选中"),
    "annotate_orders.said.doubtful_and_diverse": ("chosen as number {whole}", "第 {whole} 个被选中"),
}
