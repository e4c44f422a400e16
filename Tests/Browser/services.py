"""What the browser looks at: services of `garner` with dashboards, over APIs of this process and databases of this test."""
import http.server
import json
import os
import pathlib
import signal
import socket
import socketserver
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Dashboard:
    """A running `garner` with a dashboard."""

    def __init__(self, garner, *arguments, folder):
        port = free_port()
        self.garner, self.folder, self.url = garner, pathlib.Path(folder), f"http://127.0.0.1:{port}"
        self.log = open(self.folder / "garner.log", "w")
        self.process = subprocess.Popen(
            [garner, *arguments, "--listen", f"127.0.0.1:{port}"], cwd=folder, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 60
        while True:
            try:
                self.get("/readyz")
                return
            except (urllib.error.URLError, OSError):
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.end()
                    raise SystemExit(f"garner did not begin to serve: {pathlib.Path(self.log.name).read_text()}")
                time.sleep(0.1)

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=60) as response:
            return response.read()

    def json(self, path):
        return json.loads(self.get(path))

    def post(self, path):
        """Sends a form without fields, as a button of a page does, and answers where it leads."""
        request = urllib.request.Request(self.url + path, data=b"", headers={"Origin": self.url})
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.geturl()

    def settle(self):
        """Waits until what was due when the service began is done."""
        known = None
        while (latest := self.json("/runs.json?limit=1")[0]["run_id"]) != known:
            known = latest
            time.sleep(2)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        code = self.process.poll()
        self.end()
        if kind or code is not None:
            print(f"garner has ended with {code}, and said at last: {pathlib.Path(self.log.name).read_text()[-1000:]}")


class API:
    """An HTTP server of this process. Each path has a function from the query to a status and an answer."""

    def __init__(self, routes=None):
        self.routes = routes = routes or {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                route = routes.get(url.path)
                status, answer = route(dict(urllib.parse.parse_qsl(url.query))) if route else (404, {"error": "no route"})
                body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                kind = "image/svg+xml" if body.startswith(b"<svg") else "application/json"
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 128

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def pages(count, size, record):
    """Returns a route that gives `count` records, `size` a page."""

    def route(query):
        first = (int(query.get("page", 1)) - 1) * size
        return 200, {"total": count, "data": [record(number) for number in range(first, min(first + size, count))]}

    return route


def run(garner, *arguments, folder, check=True):
    """Runs a command to its end, and returns its standard output."""
    done = subprocess.run([garner, *arguments], cwd=folder, capture_output=True, check=False)
    if check and done.returncode:
        raise SystemExit(f"garner {' '.join(arguments)} failed: {done.stderr.decode()}")
    return done.stdout


def timestamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03}Z"


def add_history(database, histories, chance):
    """Puts runs before those of a database, as a service has them after a day.

    `histories` has a function for each stream, from an instant to the columns of a run, and the seconds between two runs.
    The runs that are there come to stand before the first of them.
    """
    now = time.time()
    with sqlite3.connect(database) as connection:
        streams = dict(connection.execute("SELECT name, stream_id FROM _garner_streams"))
        earliest = now - max(count * period for count, period, _ in histories.values())
        connection.execute(
            "UPDATE _garner_runs SET started_at = ?1, ended_at = ?2", (timestamp(earliest - 60), timestamp(earliest - 58)))
        runs = []
        for name, (count, period, columns) in histories.items():
            for number in range(count):
                start = now - (count - number) * period + chance.uniform(0, min(period, 20) / 10)
                runs.append((start, streams[name], columns(number / count)))
        for start, stream, columns in sorted(runs, key=lambda run: run[:2]):
            values = {
                "stream_id": stream, "read_id": 0, "status": "succeeded", "trigger": "schedule", "is_complete": 1,
                "verdict": "complete", "pages": 1, "requests": 1, "bytes": 3000, **columns}
            duration = values.pop("duration", 1)
            values |= {
                "started_at": timestamp(start), "ended_at": timestamp(start + duration), "nominal_at": timestamp(start),
                "due_at": timestamp(start)}
            if values["status"] != "succeeded":
                values |= {"is_complete": 0, "verdict": None}
            connection.execute(
                f"INSERT INTO _garner_runs ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
                list(values.values()))
        connection.execute("UPDATE _garner_runs SET read_id = run_id WHERE read_id = 0")
    connection.close()
