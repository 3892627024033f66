"""The browser side of LatticeLens: pages, widgets and figures over `core`."""

import os

from app.gradio_stubs import leave_out_stubs

# Both are read when gradio and huggingface_hub are imported: nothing here talks to an outside host
# unless the person starts the app with HF_HUB_OFFLINE=0.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
leave_out_stubs()
