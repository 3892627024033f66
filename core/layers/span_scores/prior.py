"""The initial bias of span scores: the log-odds of a low prior probability."""

import math

PRIOR = 0.001  # initial probability of a span
LOW = math.log(PRIOR / (1 - PRIOR))
