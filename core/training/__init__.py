"""The one training loop and what surrounds it: settings, batches, schedule, checkpoints, the run folder.

Nothing is imported here: pages and the job queue read ``run_folder`` and ``settings`` without loading torch.
"""
