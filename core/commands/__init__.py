"""The commands of ``python -m core``, one module each: ``add_parser(subparsers)`` and ``run(args)``."""
