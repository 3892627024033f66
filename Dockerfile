# LatticeLens on a CPU, as a user without rights, its workspace in the volume /workspace; docs/hosting.md says more.
FROM python:3.12-slim

# Whose index has PyTorch's CPU builds. Without it pip chooses: on x86-64 a build with CUDA, some gigabytes larger.
ARG TORCH_INDEX=""

ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PORT=7860

# A hosted Space runs its container as user 1000.
RUN useradd --create-home --uid 1000 latticelens \
    && install --directory --owner=latticelens --group=latticelens /workspace

WORKDIR /home/latticelens/app

# Before the code, so that a change of the code installs nothing again; torch first, from the index that was named.
COPY requirements.txt ./
RUN pip install ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} "$(grep '^torch>' requirements.txt)" \
    && pip install -r requirements.txt

COPY --chown=latticelens:latticelens LICENSE NOTICE launch.py ./
COPY --chown=latticelens:latticelens core core
COPY --chown=latticelens:latticelens app app
COPY --chown=latticelens:latticelens latticelens latticelens
COPY --chown=latticelens:latticelens assets assets
# Compiled once, and not at the start of every container.
RUN python -m compileall -q launch.py core app latticelens

USER latticelens
VOLUME /workspace
EXPOSE 7860

HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/healthz', timeout=8)"]

# What follows the image's name (or `command` of compose.yaml) are further flags.
ENTRYPOINT ["sh", "-c", "exec python launch.py --host 0.0.0.0 --port \"$PORT\" --workspace /workspace --no-browser \"$@\"", "latticelens"]
