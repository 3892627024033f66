"""Bulk tagging: inputs cut into blocks, workers that tag them with Ray, and jobs that resume.

A block is a part of one input file that any worker can read by itself. It is finished once its receipt is in
the output folder. A job that died goes on with the blocks that have no receipt, so that no document is
written twice and none is lost. Only ``cluster``, ``streaming`` and ``dataset`` know of Ray.
"""
