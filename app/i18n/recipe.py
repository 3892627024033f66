"""Strings of the training recipe."""

STRINGS: dict[str, tuple[str, str]] = {
    "recipe.title": ("The training recipe", "训练配方"),
    "recipe.purpose": (
        "What decides whether a deep model trains at all: a small Transformer learns (a + 1)² + b once for "
        "every combination of the choices below.",
        "深层模型能否训练起来取决于什么：一个小 Transformer 学习 (a + 1)² + b，下面每种组合各训练一次。",
    ),
    "recipe.learning_rates": ("learning rate", "学习率"),
    "recipe.warm_ups": ("warm-up, in steps", "预热步数"),
    "recipe.initialisations": ("first weights", "初始化"),
    "recipe.depths": ("layers", "层数"),
    "recipe.batches": ("batch size", "批大小"),
    "recipe.steps": ("steps of every training", "每次训练的步数"),
    "recipe.start": ("Train them all", "全部训练"),
    "recipe.stop": ("Stop", "停止"),
    "recipe.progress": ("{done} of {count} trained", "已训练 {done} / {count}"),
    "recipe.stopped": ("Stopped after {done} of {count}.", "已停止，完成 {done} / {count}。"),
    "recipe.finished": ("All {count} trained in {seconds} s.", "{count} 个已全部训练，用时 {seconds} 秒。"),
    "recipe.how": (
        "A cell is the error on held-out pairs as a share of their variance: 1 is no better than always "
        "saying the mean, ∞ diverged. At a high rate look at the deep rows without and with a warm-up.",
        "每格是在留出数据上的误差占其方差的比例：1 表示不比总是回答均值好，∞ 表示发散。"
        "在较大的学习率下，比较深层行有无预热的差别。",
    ),
    "recipe.axis.batch": ("batch {batch}", "批大小 {batch}"),
    "recipe.axis.rate": ("{rate}<br>warm-up {steps}", "{rate}<br>预热 {steps}"),
    "recipe.axis.depth": ("{depth} {depth:layer|layers}, {name}", "{depth} 层，{name}"),
    "recipe.axis.error": ("error", "误差"),
    "recipe.column.learning_rate": ("learning rate", "学习率"),
    "recipe.column.warm_up": ("warm-up", "预热"),
    "recipe.column.initialisation": ("first weights", "初始化"),
    "recipe.column.depth": ("layers", "层数"),
    "recipe.column.batch": ("batch", "批大小"),
    "recipe.column.error": ("error", "误差"),
    "recipe.column.seconds": ("seconds", "秒"),
    "recipe.error.nothing": ("Choose at least one value of each.", "每项至少选择一个值。"),
    "recipe.error.demo": (
        "The demo does not run this experiment; it takes minutes of a whole core. Run LatticeLens yourself "
        "for it.",
        "演示环境不运行该实验，它要占用一个核心数分钟。请在自己的机器上运行 LatticeLens。",
    ),
    "recipe.error.failed": (
        "The experiment ended early: {reason}. Start it again with fewer choices.",
        "实验提前结束：{reason}。请减少选项后重试。",
    ),
}
