"""One of the processes of ``test_processes``: trains a tiny tagger and keeps what came of it.

Usage: ``two_processes.py FOLDER``; a launcher's environment says which process it is.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.taggers.base.tagger import TokenScores
from core.training.evaluation import evaluate
from core.training.loop import train
from core.training.processes import join
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings
from tests.training.conftest import TinyConfig, TinyTagger, sentences

SETTINGS = TrainingSettings(
    epochs=3,
    batch_size=3,
    accumulate=2,
    optimiser="sgd",
    learning_rate=0.05,
    fgm=0.5,
    pgd_steps=2,
    vat=0.5,
    ema=0.8,
    focal=1.0,
    class_weights="balanced",
)


class Unequal(TinyTagger):
    """Has a part that one process's share of a step may not reach: only long sentences read it."""

    def __init__(self, config: TinyConfig, labels: tuple[str, ...]) -> None:
        super().__init__(config, labels)
        self.tail = torch.nn.Linear(config.width, len(labels) + 1)

    def token_scores(self, batch):
        scores = super().token_scores(batch)
        long = scores.mask.sum(1) >= 13
        if not bool(long.any()):
            return scores
        extra = self.tail(self.embedding(batch.characters)) * long[:, None, None]
        return TokenScores(scores.logits + extra, scores.gold, scores.mask)


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    processes = join()
    # The main process's weights are everybody's, whatever another began with.
    torch.manual_seed(1 + processes.index)
    tagger = Unequal(TinyConfig(dropout=0.0), ("LOC", "PER")).double()
    documents = sentences()
    result = train(
        tagger,
        documents[:29],
        documents[29:],
        SETTINGS,
        folder=RunFolder(folder),
        report=lambda event: None,
        should_stop=lambda: False,
        device=torch.device("cpu"),
        unlabelled=[document.with_spans(()) for document in documents[:5]],
        processes=processes,
    )
    scores = evaluate(tagger, documents, processes)
    if processes.main:
        end = {
            "losses": [record.loss for record in result.history],
            "f1": [record.f1 for record in result.history],
            "answers": scores.to_json()["micro"],
            "passes": tagger.steps,
        }
        (folder / "end.json").write_text(json.dumps(end), encoding="utf-8")
        save_file(tagger.state_dict(), folder / "end.safetensors")
    processes.leave()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
