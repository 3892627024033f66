"""Strings of the Probing tab of the Inspect page."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_probing.probes": ("What each layer knows", "每一层知道什么"),
    "inspect_probing.how": (
        "What can be read off each layer: parts of speech (as jieba tags them), entity labels and senses. "
        "High means that the layer holds it in plain sight, not that the tagger uses it.",
        "看每一层里能读出什么：词性（jieba 的标注）、实体标签和词义。数值高说明这一层明白地存着这些信息，"
        "不说明标注器用到了它。",
    ),
    "inspect_probing.other": ("Beside it", "并排比较"),
    "inspect_probing.characters": ("Characters to learn from", "用于学习的字符数"),
    "inspect_probing.start": ("Probe every layer", "探测每一层"),
    "inspect_probing.stop": ("Stop", "停止"),
    "inspect_probing.measure": ("Show", "显示"),
    "inspect_probing.measure.accuracy": ("accuracy", "准确率"),
    "inspect_probing.measure.gain": ("above the baseline", "高出基线"),
    "inspect_probing.measure.macro_f1": ("macro F1", "宏 F1"),
    "inspect_probing.measure.selectivity": ("selectivity", "选择性"),
    "inspect_probing.task.part_of_speech": ("part of speech", "词性"),
    "inspect_probing.task.entity": ("entity label", "实体标签"),
    "inspect_probing.task.character_sense": ("sense of a character", "字的义"),
    "inspect_probing.task.surface_sense": ("sense of an entity's text", "实体文本的义"),
    "inspect_probing.reading": ("{run}: reading states", "{run}：正在读取状态"),
    "inspect_probing.probing": ("{run}: probing", "{run}：正在探测"),
    "inspect_probing.waiting": ("Starting", "正在开始"),
    "inspect_probing.finished": ("All {count} {count:row is|rows are} here", "共 {count} 行，已全部完成"),
    "inspect_probing.stopped": ("Stopped after {count} {count:row|rows}", "已停止，得到 {count} 行"),
    "inspect_probing.too_few": (
        "A probe learns from labelled documents and is scored on others. Label at least two on the Annotate "
        "page.",
        "探针要从已标注的文档学习，再用另外的文档评分。请先到标注页至少标两篇。",
    ),
    "inspect_probing.demo": (
        "Probing and learning curves take minutes of a whole core, so the public demo leaves them out. Start "
        "LatticeLens on your own machine for them.",
        "探测和学习曲线要占用一个核心好几分钟，公开演示中不提供。请在自己的电脑上运行 LatticeLens。",
    ),
    "inspect_probing.axis.layer": ("layer, lowest first", "层，从低到高"),
    "inspect_probing.axis.documents": ("training documents", "训练文档数"),
    "inspect_probing.axis.f1": ("F1 (%)", "F1（%）"),
    "inspect_probing.column.run": ("run", "运行"),
    "inspect_probing.column.layer": ("layer", "层"),
    "inspect_probing.column.task": ("task", "任务"),
    "inspect_probing.column.accuracy": ("accuracy", "准确率"),
    "inspect_probing.column.macro_f1": ("macro F1", "宏 F1"),
    "inspect_probing.column.baseline": ("baseline", "基线"),
    "inspect_probing.column.control": ("control task", "对照任务"),
    "inspect_probing.column.selectivity": ("selectivity", "选择性"),
    "inspect_probing.column.held_out": ("scored on", "评分数"),
    "inspect_probing.baseline_how": (
        "Labels are read off by a linear model; senses by the nearest mean, a form's sense being its label "
        "where it stands. Baseline: always the most frequent label or sense. Selectivity: accuracy less that "
        "of a control task of random labels, which can only be learned by heart. Percentages of held-out "
        "characters or forms.",
        "标签由线性模型读出；词义用最近均值来找，一个词形的“义”就是它在该处的标签。基线：总答最常见的标签或"
        "词义。选择性：准确率减去对照任务的准确率，对照任务的标签是随机的，只能死记。均为留出的字或词形上的"
        "百分比。",
    ),
    "inspect_probing.curve": ("How many documents it takes", "需要多少文档"),
    "inspect_probing.curve_how": (
        "Trains one or two runs anew on growing parts of the training documents and scores them on the same "
        "ones. One training each: a point or two may be chance.",
        "在越来越大的训练子集上重新训练一个或两个运行，都在同一批文档上评分。每个点只训练一次：一两个百分点的"
        "差别可能只是偶然。",
    ),
    "inspect_probing.shares": ("Parts of the training documents", "训练文档的比例"),
    "inspect_probing.curve_start": ("Train on each part", "逐个训练"),
    "inspect_probing.curve_cancel": ("Cancel", "取消"),
    "inspect_probing.curve_resume": ("Go on", "继续"),
    "inspect_probing.curve_shown": ("Curve", "曲线"),
    "inspect_probing.curve_progress": (
        "{curve}: {done} of {count} {count:training|trainings}",
        "{curve}：{count} 次训练中已完成 {done} 次",
    ),
    "inspect_probing.curve_finished": (
        "{curve}: all {count} {count:training is|trainings are} done",
        "{curve}：{count} 次训练已全部完成",
    ),
    "inspect_probing.curve_ended": (
        "{curve}: ended after {done} of {count} {count:training|trainings}. {why}",
        "{curve}：完成 {done} / {count} 次训练后结束。{why}",
    ),
    "inspect_probing.curve_busy": (
        "{curve} of this project is still being trained; cancel it first.",
        "这个项目的 {curve} 仍在训练，请先取消。",
    ),
    "inspect_probing.curve_gone": (
        "This curve is not in the project any more. Choose another one.",
        "这条曲线已不在项目中，请选择另一条。",
    ),
    "inspect_probing.no_shares": ("Choose at least one part.", "请至少选择一个比例。"),
    "inspect_probing.no_request": (
        "{run} was not trained here, so how it was trained is not known. Choose a run that was.",
        "{run} 不是在这里训练的，不知道它的训练设置。请选择在这里训练的运行。",
    ),
    "inspect_probing.point": (
        "{documents} {documents:document|documents}, {spans} {spans:span|spans}: F1 {f1}",
        "{documents} 篇文档，{spans} 个实体：F1 {f1}",
    ),
    "inspect_probing.scored_on": ("F1 on the {part} documents.", "F1 在{part}文档上计算。"),
    "inspect_probing.part.dev": ("dev", "开发"),
    "inspect_probing.part.test": ("test", "测试"),
}
