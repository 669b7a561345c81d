# The page in a container:
#
#   docker build -t polhode . && docker run --rm --init -p 5006:5006 polhode     # then http://localhost:5006
#
# The server answers to localhost only, unless POLHODE_ORIGINS lists the host names under which browsers reach it:
#
#   docker run --rm --init -p 80:5006 -e POLHODE_ORIGINS=lab.example.org polhode
#
# It needs no network except its port, runs as an unprivileged user, and supports --read-only with --tmpfs /tmp.
# tests/image.sh builds, runs and ends it on machines without Docker.

# What changes rarely comes first: a change to the page makes only the last layer again, a change to the engine its
# kernels too.

FROM debian:bookworm-slim@sha256:60eac759739651111db372c07be67863818726f754804b8707c90979bda511df AS dependencies

RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /opt/polhode
COPY requirements.lock ./
RUN /opt/polhode/bin/pip install --no-cache-dir --require-hashes --requirement requirements.lock \
    && find /opt/polhode/lib -type d -name tests -prune -exec rm -r {} +

# Byte code that depends on nothing but the sources, so that the same sources make the same layers.
FROM dependencies AS package
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY engine engine
COPY app app
COPY assets assets
RUN /opt/polhode/bin/pip install --no-cache-dir --no-deps --no-build-isolation --no-compile --target /package . \
    && PYTHONPATH=/package /opt/polhode/bin/pip check \
    && /opt/polhode/bin/python -m compileall -q --invalidation-mode unchecked-hash -s /package -p /opt/package /package

FROM dependencies AS runtime
RUN /opt/polhode/bin/pip uninstall -y setuptools pip

FROM debian:bookworm-slim@sha256:60eac759739651111db372c07be67863818726f754804b8707c90979bda511df

RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /tmp --shell /usr/sbin/nologin polhode \
    && install -d -o polhode -g polhode /var/cache/polhode
COPY --from=runtime /opt/polhode /opt/polhode

ENV PATH=/opt/package/bin:/opt/polhode/bin:$PATH PYTHONPATH=/opt/package
ENV POLHODE_CACHE_DIR=/var/cache/polhode PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
ENV HOME=/tmp
WORKDIR /tmp
USER polhode

COPY --from=package /package/engine /opt/package/engine
# Kernels for the processor of the build. On another kind of processor, each kernel is compiled on first use, and
# stored here if the container may write here, otherwise in memory.
RUN python3 -m engine warm --quiet
COPY --from=package /package /opt/package

EXPOSE 5006
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python3", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:5006/liveness', timeout=4)"]
CMD ["polhode", "serve", "--address", "0.0.0.0", "--no-show"]
