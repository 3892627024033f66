"""What every pretraining shares: its loop, checkpoints and settings."""
