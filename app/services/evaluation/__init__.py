"""How good a run is: what is known before it becomes the active one."""
