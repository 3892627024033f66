"""Strings of the Train page."""

STRINGS: dict[str, tuple[str, str]] = {
    "train.purpose": (
        "Train a tagger on this project's labelled documents. You can close the page; the run goes on.",
        "用这个项目中有标注的文档训练标注器。可以关闭页面，训练会继续。",
    ),
    "train.material": ("What it will learn from", "训练材料"),
    "train.fact.train": ("train", "训练"),
    "train.fact.dev": ("dev (chooses the best epoch)", "开发（选最好的一轮）"),
    "train.fact.test": ("test (held out to the end)", "测试（始终不参与）"),
    "train.fact.corrections": ("with corrections", "含纠错"),
    "train.fact.value": (
        "{documents} {documents:document|documents}, {spans} {spans:span|spans}",
        "{documents} 篇，{spans} 个实体",
    ),
    "train.no_dev": (
        "No document is dev: a tenth of the training documents will be held out by chance.",
        "没有开发集：将随机留出十分之一的训练文档。",
    ),
    "train.spans_by_label": ("Spans by label", "各标签的实体数"),
    "train.tagger": ("Tagger", "标注器"),
    "train.settings": ("Settings", "设置"),
    "train.more_tagger": ("More: the tagger", "更多：标注器"),
    "train.more_training": ("More: training", "更多：训练"),
    "train.more_strategies": ("More: strategies", "更多：策略"),
    "train.strategy.adversarial": ("Attacks on the embeddings", "对嵌入的攻击"),
    "train.strategy.averaging": ("Averages of the weights", "权重平均"),
    "train.strategy.loss": ("Losses of single decisions", "逐个判断的损失"),
    "train.strategy.sampling": ("Documents of an epoch", "每轮的文档"),
    "train.strategy.initialisation": ("First weights", "初始权重"),
    "train.offer_none": ("none", "不使用"),
    "train.device": ("Device", "设备"),
    "train.loading": (
        "Loading the taggers; this takes some seconds the first time.",
        "正在加载标注器，首次需要几秒。",
    ),
    "train.start": ("Start training", "开始训练"),
    "train.retrain": ("Retrain with corrections", "带着纠错重新训练"),
    "train.retrain_how": (
        "Same tagger and settings as the serving run, on the documents as they are now.",
        "标注器和设置与在用的相同，文档取现在的样子。",
    ),
    "train.run": ("Run", "运行"),
    "train.compare": ("Compare with", "与之比较"),
    "train.no_runs": (
        "No run yet. Choose a tagger and start one; its curves and scores appear here.",
        "还没有运行。选好标注器并开始训练，曲线和分数会显示在这里。",
    ),
    "train.cancel": ("Cancel this run", "取消训练"),
    "train.resume": ("Resume this run", "继续训练"),
    "train.curves_how": (
        "Loss should fall and dev F1 should rise. Where F1 stops rising, more epochs do not help.",
        "损失应下降，开发集 F1 应上升；F1 不再上升时，增加轮数没有帮助。",
    ),
    "train.log": ("Log", "日志"),
    "train.scores": ("Scores by label", "各标签得分"),
    "train.scores_on": (
        "On {part}: {documents} {documents:document|documents}.",
        "在{part}集上，共 {documents} 篇。",
    ),
    "train.bars_how": (
        "F1 by label on the same documents; a label with few examples moves by chance.",
        "同一批文档上各标签的 F1；样例很少的标签会随机波动。",
    ),
    "train.verdict": ("What it does to your corrections", "对纠错的影响"),
    "train.verdict_text": (
        "{fixed} fixed, {still_wrong} still wrong, {newly_broken} newly broken, {holds} still right, "
        "of {total} {total:correction|corrections}, against {serving}.",
        "共 {total} 条纠错，与 {serving} 相比：修复 {fixed}，仍错 {still_wrong}，"
        "新错 {newly_broken}，保持正确 {holds}。",
    ),
    "train.verdict_none": (
        "There are no corrections yet, so nothing can be said about them.",
        "还没有纠错记录，暂无可比。",
    ),
    "train.nobody": ("no tagger", "无标注器"),
    "train.serve": ("Serve this tagger", "启用这个标注器"),
    "train.keep": ("Keep the old one", "保留原来的"),
    "train.serves": ("{run} serves this project.", "{run} 正在为本项目服务。"),
    "train.served": (
        "{run} serves now. The Ledger page takes it back with one click.",
        "已启用 {run}。在纠错账本页可一键撤回。",
    ),
    "train.kept": (
        "{run} goes on serving; {other} is marked as decided against.",
        "继续使用 {run}；{other} 已标记为不采用。",
    ),
    "train.declined": (
        "{run} was looked at on {date} and not taken over. It can still be.",
        "{date} 已查看 {run}，决定不采用；仍可随时改为采用。",
    ),
    "train.not_stored": (
        "The run is finished but its results could not be stored: {reason}. It is tried again every second.",
        "训练已完成，但结果未能存入：{reason}。每秒会再试一次。",
    ),
    "train.runs": ("All runs", "全部运行"),
    "train.column.run": ("run", "运行"),
    "train.column.status": ("status", "状态"),
    "train.column.dev": ("dev F1", "开发 F1"),
    "train.column.test": ("test F1", "测试 F1"),
    "train.fitted_epochs": (
        "Fitted to {count} training {count:document|documents}: the fewer there are, the more passes.",
        "按 {count} 篇训练文档给出：文档越少，轮数越多。",
    ),
    "train.column.epochs": ("epochs", "轮数"),
    "train.column.seconds": ("s per epoch", "秒/轮"),
    "train.column.parent": ("after", "前一运行"),
    "train.column.created": ("started", "开始时间"),
    "train.column.label": ("label", "标签"),
    "train.column.precision": ("precision", "精确率"),
    "train.column.recall": ("recall", "召回率"),
    "train.column.f1": ("F1", "F1"),
    "train.column.gold": ("gold", "标准数"),
    "train.column.predicted": ("predicted", "预测数"),
    "train.all_labels": ("all", "合计"),
    "train.part.dev": ("dev", "开发"),
    "train.part.test": ("test", "测试"),
    "train.told": ("{run}: {status}", "{run}：{status}"),
    "train.told_more": ("{run}: {status}. {message}", "{run}：{status}。{message}"),
    "train.status.queued": ("waiting", "等待中"),
    "train.status.running": ("running", "训练中"),
    "train.status.finished": ("finished", "已完成"),
    "train.status.failed": ("failed", "失败"),
    "train.status.cancelled": ("cancelled", "已取消"),
    "train.status.interrupted": ("interrupted", "已中断"),
    "train.axis.epoch": ("epoch", "轮次"),
    "train.axis.loss": ("training loss", "训练损失"),
    "train.axis.f1": ("dev F1, %", "开发集 F1，%"),
    "train.axis.label_f1": ("F1, %", "F1，%"),
    "train.no_log": (
        "Nothing was logged: this run was not trained here, or has not begun.",
        "没有日志：该运行不是在这里训练的，或尚未开始。",
    ),
    "train.log.device": ("Computing on {device}: {why}", "计算设备 {device}：{why}"),
    "train.log.resumed": (
        "Going on after {epochs} complete {epochs:epoch|epochs}.",
        "从已完成的 {epochs} 轮之后继续。",
    ),
    "train.log.epoch": (
        "Epoch {epoch} of {epochs}: loss {loss}, dev F1 {f1}, {seconds} s{best}",
        "第 {epoch}/{epochs} 轮：损失 {loss}，开发 F1 {f1}，{seconds} 秒{best}",
    ),
    "train.log.best": (", the best so far", "，目前最好"),
    "train.log.finished": ("Finished.", "已完成。"),
    "train.error.nothing_labelled": (
        "There is nothing to learn from: no training document has a labelled span. Label some on the "
        "Annotate page, or import labelled documents on the Data page.",
        "没有可学习的内容：训练文档中还没有标注。请在标注页标注，或在数据页导入带标注的文档。",
    ),
    "train.error.vectors": (
        "The demo cannot read vectors or pretrained models from files or the hub: leave such fields empty or "
        "write jieba. BERT and BERT-MRC train on your own machine only.",
        "演示环境不能从文件或模型库读取词向量和预训练模型：请留空或填写 jieba。"
        "BERT 与 BERT-MRC 只能在自己的机器上训练。",
    ),
    "train.error.no_run": ("Choose a run first.", "请先选择一个运行。"),
    "train.error.not_finished": (
        "{run} has no tagger to serve: it is not finished. Resume it, or choose another run.",
        "{run} 尚未完成，没有可启用的标注器。请继续训练或选择其他运行。",
    ),
    # training again by itself
    "train.retraining": ("Train again by itself", "自动重新训练"),
    "train.retraining.how": (
        "After so many edits (a span labelled, accepted, rejected, moved or deleted) a new run learns from "
        "the documents as they are then. One run at a time; you go on labelling meanwhile.",
        "每累积一定数量的修改（标注、接受、拒绝、移动或删除一个片段），就用当时的文档训练一个新模型。"
        "一次只进行一个训练，期间可以继续标注。",
    ),
    "train.retraining.on": ("train again by itself", "自动重新训练"),
    "train.retraining.every": ("after this many edits", "累积多少次修改后训练"),
    "train.retraining.recipe": ("How", "训练方式"),
    "train.retraining.recipe.last": ("as the last run was trained", "与上一次训练相同"),
    "train.retraining.recipe.quick": ("quickly: FLAT, half the epochs", "快速：FLAT，一半轮数"),
    "train.retraining.promotion": ("Afterwards", "训练之后"),
    "train.retraining.promotion.ask": ("I decide which tagger serves", "由我决定启用哪个标注器"),
    "train.retraining.promotion.unbroken": (
        "serve it if no correction is newly broken",
        "若没有新出错的修正，则自动启用",
    ),
    "train.retraining.again": ("go on", "继续"),
    "train.retraining.runs": ("{run} is being trained.", "正在训练 {run}。"),
    "train.retraining.waiting": (
        "{count} of {every} {every:edit|edits} since the last training.",
        "自上次训练以来已有 {count} / {every} 次修改。",
    ),
    "train.retraining.failed": (
        "The last training by itself failed and nothing more is started until you go on: {reason}",
        "上一次自动训练失败，在你选择继续之前不会再开始：{reason}",
    ),
    "train.retraining.served": (
        "{run} serves now: {fixed} {fixed:correction|corrections} fixed, {still_wrong} still wrong, none "
        "newly broken. Rolling back is one click on the Ledger page.",
        "{run} 已启用：修正 {fixed} 处，仍错 {still_wrong} 处，没有新出错。可在“纠错账本”页一键退回。",
    ),
    "train.retraining.broken": (
        "{run} was not served: {fixed} {fixed:correction|corrections} fixed, {still_wrong} still wrong, "
        "{newly_broken} newly broken. Look at it and decide.",
        "{run} 未启用：修正 {fixed} 处，仍错 {still_wrong} 处，新出错 {newly_broken} 处。请查看后决定。",
    ),
    "train.retraining.kept": (
        "{run} waits for your decision: {fixed} {fixed:correction|corrections} fixed, {still_wrong} still "
        "wrong, {newly_broken} newly broken.",
        "{run} 等待你决定：修正 {fixed} 处，仍错 {still_wrong} 处，新出错 {newly_broken} 处。",
    ),
}
