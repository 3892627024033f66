"""The loop, checkpoints and settings of pretraining."""
