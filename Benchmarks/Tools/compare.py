"""Measures Garner and other tools on the same work, in turn: a first sync of a list, and the same again.

    compare.py GARNER [--pages 200] [--records 1000] [--runs 3] [--only NAME ...]

It serves pages from memory on loopback. Each tool fetches all of them, and keeps a table with the key `id` in step. The
figures are medians; the ratio is the median of the ratios to Garner's time in the same round.
"""
import argparse, http.server, json, os, pathlib, random, sqlite3, statistics, subprocess, sys, tempfile, threading, time

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ("Mammal", "Bird", "Reptile", "Amphibian", "Fish", "Insect")


def record(number, random):
    return {
        "id": number, "name": f"Animal {number}", "latin_name": f"Genus{random.randint(1, 900)} species{number % 9000}",
        "animal_type": random.choice(KINDS), "active_time": random.choice(("Diurnal", "Nocturnal")),
        "length_min": f"{random.uniform(.1, 3):.2f}", "length_max": f"{random.uniform(3, 12):.2f}",
        "weight_min": f"{random.uniform(.1, 30):.2f}", "weight_max": f"{random.uniform(30, 1200):.2f}",
        "lifespan": str(random.randint(1, 90)), "habitat": "Temperate woodland and scrub",
        "diet": 'Insects, leaves, fruit and "small" vertebrates', "geo_range": "Central and South America",
        "image_link": f"https://images.example.org/commons/{number % 256:02x}/Animal_{number}.jpg",
        "updated_at": f"2026-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}T12:00:00Z",
    }


class Server:
    """Pages that lead to each other, on a port of its own, and the same as files."""

    def __init__(self, pages, records, folder):
        folder.mkdir()
        chance, bodies = random.Random(7), {}
        handler = type("Handler", (http.server.BaseHTTPRequestHandler,), {
            "protocol_version": "HTTP/1.1", "disable_nagle_algorithm": True, "wbufsize": 1 << 20,
            "do_GET": lambda request: self.answer(request, bodies), "log_message": lambda *_: None})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        base = f"http://127.0.0.1:{self.server.server_port}"
        for page in range(1, pages + 1):
            rows = [record(number, chance) for number in range((page - 1) * records + 1, page * records + 1)]
            following = f"{base}/{page + 1}.json" if page < pages else None
            body = json.dumps({"data": rows, "next": following}).encode()
            bodies[f"/{page}.json"] = body
            (folder / f"{page}.json").write_bytes(body)
        self.url = f"{base}/1.json"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def answer(request, bodies):
        body = bodies.get(request.path)
        request.send_response(200 if body else 404)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body or b"")))
        request.end_headers()
        request.wfile.write(body or b"")


def tools(garner, url, pages):
    """The command of each tool, for a folder of its own, and a command that counts the rows."""
    def prepare(folder):
        base, path = url.rsplit("/", 1)
        (folder / "garner.yaml").write_text(
            f"version: 1\nsources:\n  zoo:\n    base_url: {base}/\n    streams:\n      animals:\n        path: {path}\n"
            "        primary_key: id\n        record_selector: $.data[*]\n"
            "        paginator: { type: json_link, next_url_path: $.next }\n")
        return [garner, "sync", "--no-progress"]

    python = sys.executable
    return {
        "garner": prepare,
        "curl, jq, sqlite3": lambda folder: ["bash", HERE / "curl-jq-sqlite3.sh", url, folder / "garner.db"],
        "sqlite-utils": lambda folder: [python, HERE / "with_sqlite_utils.py", url, folder / "garner.db"],
        "dlt": lambda folder: [python, HERE / "with_dlt.py", url, folder / "garner.db"],
        "DuckDB, from files": lambda folder: [python, HERE / "with_duckdb.py", pages, folder / "animals.duckdb"],
    }


def run(command, folder):
    """Wall seconds, processor seconds and the peak memory of its largest process in MiB."""
    start = time.perf_counter()
    with open(folder / "log", "wb") as log:
        child = subprocess.Popen([str(part) for part in command], cwd=folder, stdout=log, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command} ended with {child.returncode}: {(folder / 'log').read_text(errors='replace')[-2000:]}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rows(folder):
    if (folder / "animals.duckdb").exists():
        import duckdb
        with duckdb.connect(str(folder / "animals.duckdb"), read_only=True) as connection:
            return connection.execute("SELECT count(*), sum(length(name)) FROM animals").fetchone()
    with sqlite3.connect(f"file:{folder / 'garner.db'}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT count(*), sum(length(name)) FROM animals").fetchone()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("garner")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", help="the tools beside garner")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="garner-tools-") as work:
        work = pathlib.Path(work)
        server = Server(arguments.pages, arguments.records, work / "pages")
        commands = tools(pathlib.Path(arguments.garner).resolve(), server.url, work / "pages")
        if arguments.only:
            commands = {name: make for name, make in commands.items() if name in ["garner", *arguments.only]}
        figures, stored = {}, {}
        for number in range(arguments.runs):
            for name, make in commands.items():
                folder = work / f"{number} {name}"
                folder.mkdir()
                for sync in ("first", "again"):
                    figures.setdefault((sync, name), []).append(run(make(folder), folder))
                    stored.setdefault(rows(folder), set()).add(name)
                subprocess.run(["rm", "-rf", folder], check=True)
        if len(stored) != 1:
            sys.exit(f"the tools stored different rows: {stored}")
        print("| sync | tool | seconds | processor | memory | times Garner |\n| --- | --- | --- | --- | --- | --- |")
        for (sync, name), measured in figures.items():
            wall, processor, memory = (statistics.median(values) for values in zip(*measured))
            ratio = statistics.median(one[0] / own[0] for one, own in zip(measured, figures[sync, "garner"]))
            print(f"| {sync} | {name} | {wall:.2f} s | {processor:.2f} s | {memory:.0f} MiB | {ratio:.1f} |")


if __name__ == "__main__":
    main()
