"""Settings of the strategies; the defaults turn all off, a tagger's ``learns_best_with`` may turn some on.

Their parameters default to the values of the papers.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.taggers.base.config_fields import option

INITIALISATIONS = (
    "own",
    "xavier_uniform",
    "xavier_normal",
    "kaiming_uniform",
    "kaiming_normal",
    "normal",
    "uniform",
)


@dataclass(frozen=True)
class AdversarialSettings:
    """Adversarial training on perturbed embeddings."""

    fgm: float = option(
        0.0,
        "FGM: length ε of a disturbance of the embeddings along the gradient; 0 is off, 1 is usual.",
        bounds=(0.0, 100.0),
    )
    pgd_steps: int = option(
        0, "PGD: steps K by which the disturbance is sought; 0 is off, 3 is usual.", bounds=(0, 20)
    )
    pgd_step_length: float = option(0.3, "PGD: length α of one of these steps.", bounds=(0.0, 100.0))
    pgd_radius: float = option(
        1.0, "PGD: radius ε of the ball that the disturbance stays in.", bounds=(0.0, 100.0)
    )
    vat: float = option(
        0.0,
        "VAT: weight of the divergence under a disturbance that needs no labels, so that unlabelled "
        "documents teach too; 0 is off, 1 is usual.",
        bounds=(0.0, 100.0),
    )
    vat_radius: float = option(1.0, "VAT: length ε of the disturbance.", bounds=(0.0, 100.0))
    vat_probe: float = option(
        0.1, "VAT: length ξ of the probe that seeks it, per row of a table.", bounds=(0.0001, 10.0)
    )
    vat_power_steps: int = option(
        1, "VAT: power iterations, each another pass over the batch.", bounds=(1, 10)
    )
    vat_unlabelled: int = option(
        0,
        "VAT: unlabelled documents in a step; 0 takes as many as there are labelled ones.",
        bounds=(0, 1024),
    )


@dataclass(frozen=True)
class AveragingSettings:
    """Weight averaging; dev scores and the saved model are those of the average."""

    ema: float = option(
        0.0,
        "EMA: share of the moving average of the weights that each step keeps, less in the first steps; 0 is "
        "off, 0.999 is usual.",
        bounds=(0.0, 0.999999),
    )
    swa_start: int = option(
        0,
        "SWA: first epoch of the cycles at whose ends weights are averaged; 0 is off, three quarters of the "
        "epochs are usual.",
        bounds=(0, 1000),
    )
    swa_cycle: int = option(1, "SWA: epochs of one cycle.", bounds=(1, 1000))
    swa_high: float = option(
        0.5, "SWA: step size when a cycle begins, in learning rates.", bounds=(0.0, 10.0)
    )
    swa_low: float = option(0.05, "SWA: step size when a cycle ends, in learning rates.", bounds=(0.0, 10.0))


@dataclass(frozen=True)
class LossSettings:
    """Losses on token decisions, and R-Drop."""

    focal: float = option(
        0.0,
        "Focal loss: exponent γ that takes weight from tokens already right; 0 is off, 2 is usual.",
        bounds=(0.0, 10.0),
    )
    label_smoothing: float = option(
        0.0,
        "Label smoothing: share ε of the target spread over all classes; 0 is off, 0.1 is usual.",
        bounds=(0.0, 0.9),
    )
    class_weights: str = option(
        "off",
        "Weight of a token by how rare its class is: balanced is one over its count, root one over the "
        "root of its count, effective that of Cui et al. (2019).",
        choices=("off", "balanced", "root", "effective"),
    )
    token_loss: str = option(
        "auto",
        "How focal loss, smoothing and class weights act: replace the tagger's loss, or add to it; auto "
        "replaces where a softmax decides each token and adds everywhere else (CRF, MRC).",
        choices=("auto", "add", "replace"),
    )
    token_weight: float = option(1.0, "Weight of that token loss where it is added.", bounds=(0.0, 100.0))
    r_drop: float = option(
        0.0,
        "R-Drop: weight α of the divergence between two passes with other dropout; 0 is off, 1 to 5 are "
        "usual; doubles the time of a step.",
        bounds=(0.0, 100.0),
    )


@dataclass(frozen=True)
class SamplingSettings:
    """Sampling of the documents of an epoch."""

    keep_negatives: float = option(
        1.0,
        "Share of the documents without a span that an epoch learns from, drawn anew for each epoch.",
        bounds=(0.0, 1.0),
    )


@dataclass(frozen=True)
class InitialisationSettings:
    """Initialisation of weight matrices; embeddings and encoders keep their values."""

    initialisation: str = option(
        "own",
        "First values of the matrices of fresh linear, convolution and recurrent layers; own leaves them as "
        "the tagger makes them.",
        choices=INITIALISATIONS,
    )
    initialisation_scale: float = option(
        0.0,
        "Gain of xavier and kaiming, deviation of normal, bound of uniform; 0 takes 1 for the first two "
        "and 0.02 for the others.",
        bounds=(0.0, 10.0),
    )


GROUPS: dict[str, type] = {
    "adversarial": AdversarialSettings,
    "averaging": AveragingSettings,
    "loss": LossSettings,
    "sampling": SamplingSettings,
    "initialisation": InitialisationSettings,
}


@dataclass(frozen=True)
class StrategySettings(
    InitialisationSettings, SamplingSettings, LossSettings, AveragingSettings, AdversarialSettings
):
    """All strategy settings, in the order of ``GROUPS``."""
