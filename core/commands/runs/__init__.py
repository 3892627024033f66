"""What the commands share that write a run folder or another training's folder."""
