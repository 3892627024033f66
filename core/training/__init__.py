"""The training loop and its surroundings: settings, batches, schedule, strategies, checkpoints, the run
folder.

Nothing is imported here: pages and the job queue read ``run_folder`` and ``settings`` without loading torch.
"""
