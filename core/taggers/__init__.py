"""NER models, one module each, behind one interface.

Nothing is imported here, so that ``config_fields`` and ``trace`` stay free of torch.
"""
