#!/usr/bin/env python3
"""Measures what a dashboard under load costs its service, and how fast pages come. Give it a release build.

    load_test.py GARNER [--seconds N]

Ten streams are due each second. 200 pages listen for changes, 50 clients read or write slowly, and queries run for as long as
they may, one after another. Told are how late runs begin without that load and with it, the memory, and the times of pages.
"""
import argparse
import http.client
import os
import pathlib
import socket
import sqlite3
import tempfile
import threading
import time
import urllib.parse

from scenes import large
from services import API, Dashboard, pages, run

STREAMS, LISTENERS, SLOW = 10, 200, 50
# Each row of it takes a moment, and it ends only when its time is up.
ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n, items"


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def memory(process):
    """The resident memory of a process in MiB."""
    fields = pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def lateness(database, since):
    """How late the runs since an instant began, in milliseconds, and how many of the instants have a run."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        rows = connection.execute(
            "SELECT (julianday(started_at) - julianday(due_at)) * 86400000 FROM _garner_runs"
            " WHERE trigger = 'schedule' AND status <> 'skipped' AND julianday(started_at) > julianday(?1, 'unixepoch')", (since,)).fetchall()
    return [round(row[0], 1) for row in rows]


class Load:
    """Clients that keep a dashboard busy until they are told to end."""

    def __init__(self, service):
        self.service, self.ending, self.threads, self.sockets = service, threading.Event(), [], []
        self.counts = {"events": 0, "queries": 0}
        self.host, self.port = urllib.parse.urlsplit(service.url).netloc.split(":")

    def connect(self, request):
        connection = socket.create_connection((self.host, int(self.port)))
        # A small buffer fills at once, so that the server has to wait for the client.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(request.encode())
        self.sockets.append(connection)
        return connection

    def request(self, path):
        return f"GET {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n\r\n"

    def listen(self):
        connection = self.connect(self.request("/events"))
        while not self.ending.is_set():
            try:
                if b"changed" in connection.recv(4096):
                    self.counts["events"] += 1
            except OSError:
                return

    def crawl(self, number):
        """Reads a large answer, or writes a request, a byte a moment."""
        paths = ["/tables/items.csv", "/tables/items.json", "/runs.json?limit=1000", "/tables/items"]
        request = self.request(paths[number % 4])
        while not self.ending.is_set():
            try:
                if number % 2:
                    connection = self.connect(request)
                    while not self.ending.wait(0.2) and connection.recv(64):
                        pass
                else:
                    connection = self.connect("")
                    for character in request + "X-More: " + "x" * 10_000:
                        if self.ending.wait(0.2):
                            return
                        connection.sendall(character.encode())
            except OSError:
                self.ending.wait(1)

    def ask(self):
        while not self.ending.is_set():
            connection = http.client.HTTPConnection(self.host, int(self.port), timeout=60)
            connection.request("GET", f"/query?sql={urllib.parse.quote(ENDLESS)}")
            connection.getresponse().read()
            self.counts["queries"] += 1

    def __enter__(self):
        work = [self.listen] * LISTENERS + [lambda n=n: self.crawl(n) for n in range(SLOW)] + [self.ask]
        self.threads = [threading.Thread(target=task, daemon=True) for task in work]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        for connection in self.sockets:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()
        for thread in self.threads:
            thread.join(15)


def first_rows(service, path):
    """The milliseconds until the rows of a page have come, and until all of it has."""
    host, port = urllib.parse.urlsplit(service.url).netloc.split(":")
    connection = http.client.HTTPConnection(host, int(port))
    begin, rows, text = time.perf_counter(), None, b""
    connection.request("GET", path)
    response = connection.getresponse()
    while piece := response.read1(1 << 16):
        text += piece
        if rows is None and b"</tbody>" in text:
            rows = time.perf_counter() - begin
    connection.close()
    return (rows or time.perf_counter() - begin) * 1000, (time.perf_counter() - begin) * 1000


def tell_pages(service, paths):
    for path in paths:
        times = [first_rows(service, path) for _ in range(100)]
        rows, whole = ([part[kind] for part in times] for kind in (0, 1))
        print(f"  {path}: rows p50 {percentile(rows, 50):.1f} ms, p95 {percentile(rows, 95):.1f} ms; all p95 {percentile(whole, 95):.1f} ms", flush=True)


def due_each_second(garner, folder, seconds):
    names = [f"due_{number}" for number in range(STREAMS)]
    routes = {f"/{name}": pages(20, 20, lambda n: {"id": n, "at": int(time.time())}) for name in names}
    routes["/items"] = pages(1_000_000, 10_000, lambda n: {"id": n, "name": f"Item {n}", "kind": f"kind {n % 7}", "weight": n % 1000 / 8})
    with API(routes) as api:
        listed = "".join(f"      {name}: {{ path: /{name}, schedule: {{ every: 1s }} }}\n" for name in names)
        pathlib.Path(folder, "garner.yaml").write_text(f"""version: 1
sources:
  load:
    base_url: {api.url}/
    proxy: none
    max_concurrency: 20
    record_selector: $.data
    primary_key: id
    streams:
{listed}      items: {{ path: /items, paginator: {{ type: page_number, total_path: $.total }} }}
""")
        run(garner, "sync", "--quiet", folder=folder)
        database = pathlib.Path(folder, "garner.db")
        with Dashboard(garner, "serve", folder=folder) as service:
            time.sleep(10)
            begin = time.time()
            time.sleep(seconds)
            rest, quiet = memory(service.process), lateness(database, begin)
            with Load(service) as load:
                time.sleep(5)
                begin, most = time.time(), 0
                while time.time() < begin + seconds:
                    most = max(most, memory(service.process))
                    time.sleep(0.2)
                loaded = lateness(database, begin)
            late = percentile(loaded, 99) - percentile(quiet, 99)
            print(f"  lateness of {len(quiet)} runs without load: p50 {percentile(quiet, 50)} ms, p99 {percentile(quiet, 99)} ms")
            print(f"  lateness of {len(loaded)} runs with load: p50 {percentile(loaded, 50)} ms, p99 {percentile(loaded, 99)} ms")
            print(f"  so load makes p99 later by {late:.0f} ms (50 are allowed)")
            print(f"  memory: {rest:.0f} MiB at rest, at most {most:.0f} MiB with load: {most - rest:.0f} MiB more (64 are allowed)")
            print(f"  {load.counts['events']} changes were told to {LISTENERS} pages, and {load.counts['queries']} queries ran to their end")
            time.sleep(5)
            print(f"  memory 5 s after it: {memory(service.process):.0f} MiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measures a dashboard under load.")
    parser.add_argument("garner")
    parser.add_argument("--seconds", type=int, default=40, help="the time with load, and the time without it")
    options = parser.parse_args()
    garner = os.path.abspath(options.garner)
    print(f"load averages: {' '.join(f'{value:.1f}' for value in os.getloadavg())} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        print("Pages of 100 streams with 10,000 runs, and of a table of 1,000,000 rows:", flush=True)
        with large(garner, folder) as service:
            tell_pages(service, ["/", "/runs", "/tables/items", "/tables/items?_sort_desc=id", "/tables/items?_sort=code", "/tables/items/500000"])
    with tempfile.TemporaryDirectory() as folder:
        print(f"{STREAMS} streams due each second, {LISTENERS} pages that listen, {SLOW} slow clients and queries without an end:", flush=True)
        due_each_second(garner, folder, options.seconds)


if __name__ == "__main__":
    main()
