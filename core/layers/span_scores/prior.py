"""What span scores begin with."""

import math

PRIOR = 0.001  # initial probability of a span
LOW = math.log(PRIOR / (1 - PRIOR))
