# docker build -t quarto-evo .
# docker run --init -it -p 8000:8000 -v "$PWD/runs:/home/lab/runs" quarto-evo
# docker run --init -it -v "$PWD/runs:/home/lab/runs" quarto-evo evolve --generations 20 --workers 0
FROM python:3.11-slim

# .dockerignore lets through what the wheel is made of
COPY . /source
RUN pip install --no-cache-dir --disable-pip-version-check -c /source/constraints.txt /source

RUN useradd --create-home lab && install -d -o lab -g lab /home/lab/runs
USER lab
WORKDIR /home/lab
VOLUME /home/lab/runs
EXPOSE 8000

ENTRYPOINT ["quarto-evo"]
CMD ["web", "--host", "0.0.0.0", "--port", "8000", "--no-open", "--runs", "runs"]
