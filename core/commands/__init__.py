"""The commands of ``python -m core``, one module each: ``add_parser(subparsers)`` and ``run(args)``.

``run`` returns what is printed: an object, or an iterable of them. Bad input or a failed step is a
`CommandError` or another room's `Told`, an interruption `Interrupted`; the program reports both in a line.
"""
