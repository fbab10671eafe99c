# The web demo in a container.
#
#   docker build -t molclip .
#   docker run --rm -p 127.0.0.1:7860:7860 molclip
#
# torch for CPUs alone makes the image some gigabytes smaller: name the package index that has it,
#   docker build --build-arg TORCH_INDEX=ADDRESS -t molclip .

FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY molclip molclip
COPY app app
COPY data data
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
# RDKit draws with these.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libxrender1 libxext6 libexpat1 \
    && rm -rf /var/lib/apt/lists/*
ARG TORCH_INDEX=""
COPY --from=build /wheels /wheels
RUN if [ -n "$TORCH_INDEX" ]; then pip install --no-cache-dir --index-url "$TORCH_INDEX" torch; fi \
    && pip install --no-cache-dir "$(echo /wheels/molclip-*.whl)[app]" \
    && rm -rf /wheels
# Nothing runs as root from here on.
RUN useradd --create-home --uid 1000 molclip
USER molclip
WORKDIR /home/molclip
ENV MOLCLIP_CACHE=/home/molclip/.cache/molclip \
    PYTHONUNBUFFERED=1
# The library is made ready once, here and not at every start.
RUN python -c "from molclip import Library; print(len(Library.open()))"
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7860/', timeout=8)"]
# All addresses of the container; who reaches them is up to `docker run -p`.
ENTRYPOINT ["molclip", "app", "--host", "0.0.0.0", "--port", "7860"]
