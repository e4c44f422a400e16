"""The services that the browser test walks: hostile records, a hundred streams, and the one that pictures are taken of."""
import contextlib
import json
import pathlib
import random
import sqlite3
import subprocess
import threading
import urllib.request

from services import API, Dashboard, add_history, free_port, pages, run

# Texts that try to become more than text. Each may do nothing but be read.
HOSTILE = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'\"`><svg/onload=alert(1)>",
    "\"\u0301 onfocus=alert(1) autofocus x=\"\u0301", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>",
    "</title></textarea></style></script><script>alert(1)</script>", "<!--<script>alert(1)</script>",
    "\u202egnp.exe\u202c\u2066\u2067 \u05d0\u05d1\u05d2 \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "null", "\u0007\u001b[31m\ufffd\ufeff", "&lt;b&gt; &amp; &#x3c;script&#x3e;", "\U0001f40b" * 300,
    "%3Cscript%3Ealert(1)%3C/script%3E", "a/b?c#d%2e%2e/../..", "wide " * 2000, "x" * 1_000_000,
]
PICTURE = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script><circle r='9'/></svg>"


@contextlib.contextmanager
def hostile(garner, folder):
    """A service whose records, names of columns, files and errors are hostile; all were synced twice."""
    edition = 1

    def records(_):
        return 200, [
            {
                "id": text if len(text) < 200 else str(number), "text": text, "edition": edition, "state": HOSTILE[number % 2],
                "picture": f"{api.url}/picture?{number}", "<script>alert(1)</script>": text[:100],
                "\"\u0301 onfocus=alert(1) \"": edition, "nested": {"<b>": [text[:50]]},
            }
            for number, text in enumerate(HOSTILE)]

    with API() as api:
        api.routes.update({
            "/records": records, "/picture": lambda _: (200, PICTURE),
            "/failing": lambda _: (400, {"error": {"message": " ".join(HOSTILE[:9])}})})
        pathlib.Path(folder, "garner.yaml").write_text(f"""
version: 1
sources:
  hostile:
    base_url: {api.url}/
    proxy: none
    retry: {{ max_attempts: 1 }}
    streams:
      records:
        path: /records
        schedule: {{ every: 1h }}
        primary_key: id
        history: true
        search: [text]
        attachments: [ {{ field: picture, media_types: [image/svg+xml] }} ]
      failing:
        path: /failing
        primary_key: id
""")
        for edition in (1, 2):
            run(garner, "sync", "--quiet", folder=folder, check=False)
        with Dashboard(garner, "serve", folder=folder) as service:
            yield service


def outcome(chance, failing=0.01, most=20, duration=1.0):
    """Returns a function that gives a run its figures."""

    def columns(_):
        if chance.random() < failing:
            return {
                "status": "failed", "error_kind": "http_status", "error_code": 69, "duration": duration * 9,
                "error_message": "HTTP 503: \"Service unavailable\""}
        changes = int(most * chance.random() ** 3) if chance.random() < 0.5 else 0
        added = chance.randint(0, changes)
        return {
            "inserted": added // 2, "deleted": added // 2, "updated": changes - added, "unchanged": 4 * most,
            "duration": duration * chance.lognormvariate(0, 0.3), "requests": 4, "pages": 4}

    return columns


@contextlib.contextmanager
def large(garner, folder, rows=1_000_000, streams=100, runs=10_000):
    """A service of many streams, whose runs fill days, and of a table with many rows."""
    chance = random.Random(1)

    def record(number):
        return {
            "id": number, "code": f"{number * 7919 % 1_000_003:07}", "name": f"Item {number}", "kind": f"kind {number % 7}",
            "weight": number % 1000 / 8, "made_at": f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}T12:00:00Z", "note": None}

    names = [
        f"{'a_stream_with_a_name_that_is_much_longer_than_most_names_of_streams_are' if number == 7 else 'stream'}_{number:03}"
        for number in range(streams)]
    routes = {"/items": pages(rows, 10_000, record), **{f"/{name}": pages(20, 20, record) for name in names}}
    with API(routes) as api:
        listed = "".join(f"      {name}: {{ path: /{name}, primary_key: id, schedule: {{ every: 6h }} }}\n" for name in names)
        pathlib.Path(folder, "garner.yaml").write_text(f"""
version: 1
sources:
  many:
    base_url: {api.url}/
    proxy: none
    paginator: {{ type: page_number, total_path: $.total }}
    record_selector: $.data
    streams:
{listed}      items: {{ path: /items, primary_key: id, paginator: {{ type: page_number, page_size_param: size, page_size: 10000 }} }}
""")
        run(garner, "sync", "--quiet", folder=folder)
        each = max(1, runs // streams)
        add_history(
            pathlib.Path(folder, "garner.db"),
            {f"many.{name}": (each, 7 * 86_400 // each, outcome(chance)) for name in names}, chance)
        with sqlite3.connect(pathlib.Path(folder, "garner.db")) as connection:
            connection.execute("CREATE INDEX items_by_code ON items (code)")
        connection.close()
        with Dashboard(garner, "serve", folder=folder) as service:
            service.settle()
            yield service


def animals_api(garner, folder):
    """Starts the demo's API, and returns its process and its address."""
    port = free_port()
    demo = subprocess.Popen(
        [garner, "demo", "--serve", "--folder", "demo", "--port", f"{port}"], cwd=folder, stdout=subprocess.PIPE, text=True)
    # The last line says that the API goes on.
    next(line for line in demo.stdout if "Ctrl-C" in line)
    return demo, f"http://127.0.0.1:{port}/"


BOOKS = ["The Sea and its Animals", "كتاب الحيوان", "Historia animalium", "On the Origin of Species", "מסעות בנימין"]


@contextlib.contextmanager
def museum(garner, folder):
    """A service as it is after a day: most streams are in step, and one of each other state. It is what pictures show."""
    chance = random.Random(4)
    gate = threading.Event()
    (edition, waits, quota) = (1, False, True)

    def objects(query):
        if not quota:
            return 429, {"error": "Daily quota of 2,500 requests used up. Resets at 00:00 UTC."}
        return pages(41_902, 4_000, lambda n: {"id": n, "title": f"Object {n}", "room": n % 90})(query)

    def issues(query):
        if waits:
            gate.wait(600)
        return pages(5_821, 1_000, lambda n: {
            "id": n, "title": f"Issue {n}", "state": "open" if n % 3 else "closed",
            "comments": n % 17 + (edition if n % 400 == 0 else 0)})(query)

    def loans(query):
        status, answer = pages(4_000, 1_000, lambda n: {"id": n, "book": BOOKS[n % 5], "due": f"2026-12-{n % 28 + 1:02}"})(query)
        page = int(query.get("page", 1))
        return status, answer | {"total": 12_480, "next": f"{api.url}/loans?page={page + 1}" if page < 4 else None}

    def orders(query):
        return pages(2_051, 500, lambda n: {"id": n, "total": n * 199 % 50_000 / 100, "state": "paid" if n % 9 else "open"})(query)

    def observations(query):
        return pages(8_760, 2_000, lambda n: {
            "id": n, "station": f"station {n % 12}", "temperature": round(12 + (n * 37 % 160) / 10 + (edition if n % 97 == 0 else 0) / 10, 1)})(query)

    def animals(_):
        # In the first edition some animals are missing, some are others, and two are there that go.
        if edition == 2:
            return 200, {"data": zoo}
        first = [{**animal, "lifespan": animal["lifespan"] - 1} if animal["id"] % 19 == 3 else animal for animal in zoo[:-3]]
        return 200, {"data": first + [
            {**zoo[4], "id": 901, "name": "Passenger Pigeon", "latin_name": "Ectopistes migratorius"},
            {**zoo[5], "id": 902, "name": "Thylacine", "latin_name": "Thylacinus cynocephalus"}]}

    demo, zoo_url = animals_api(garner, folder)
    try:
        with urllib.request.urlopen(zoo_url + "animals?per_page=100") as response:
            zoo = json.load(response)["data"]
        with API({
            "/animals": animals, "/objects": objects, "/issues": issues, "/loans": loans, "/orders": orders,
            "/observations": observations, "/image": lambda query: (200, urllib.request.urlopen(query["of"]).read()),
        }) as api:
            for animal in zoo:
                animal["image_link"] = f"{api.url}/image?of={animal['image_link']}"
            pathlib.Path(folder, "garner.yaml").write_text(f"""version: 1

defaults:
  proxy: none
  retry: {{ max_attempts: 1 }}
  paginator: {{ type: page_number, total_path: $.total }}
  record_selector: $.data
  primary_key: id

sources:
  zoo:
    base_url: {api.url}/
    streams:
      animals:
        path: /animals
        paginator: {{ type: single_page }}
        delete_missing: hard
        history: true
        search: [name, habitat, diet]
        attachments: [ {{ field: image_link, media_types: [image/svg+xml] }} ]
        schedule: {{ every: 15m }}
  museum:
    base_url: {api.url}/
    streams: {{ objects: {{ path: /objects, schedule: {{ every: 1h }} }} }}
  code:
    base_url: {api.url}/
    streams: {{ issues: {{ path: /issues, history: true, schedule: {{ every: 15m }} }} }}
  library:
    base_url: {api.url}/
    streams: {{ loans: {{ path: /loans, delete_missing: hard, paginator: {{ type: json_link, next_url_path: $.next }}, schedule: {{ every: 30m }} }} }}
  weather:
    base_url: {api.url}/
    streams: {{ observations: {{ path: /observations, schedule: {{ every: 5m }} }} }}
  shop:
    base_url: {api.url}/
    streams: {{ orders: {{ path: /orders, schedule: {{ every: 1h }} }} }}
  bibliography:
    base_url: {api.url}/
    streams: {{ publications_by_subject_heading_and_year_of_first_edition: {{ path: /publications }} }}
""")
            every = ["museum.objects", "code.issues", "library.loans", "weather.observations", "shop.orders", "zoo.animals"]
            run(garner, "sync", "--quiet", *every, folder=folder, check=False)
            add_history(pathlib.Path(folder, "garner.db"), {
                "zoo.animals": (96, 900, outcome(chance, most=6, duration=1.2)),
                "museum.objects": (24, 3600, outcome(chance, most=400, duration=40)),
                "code.issues": (96, 900, outcome(chance, most=120, duration=20)),
                "library.loans": (48, 1800, outcome(chance, failing=0, most=60, duration=15)),
                "weather.observations": (288, 300, outcome(chance, failing=0.004, most=96, duration=4)),
                "shop.orders": (24, 3600, outcome(chance, most=40, duration=8)),
            }, chance)
            (edition, quota) = (2, False)
            for name in every:
                run(garner, "sync", "--quiet", name, folder=folder, check=False)
            for _ in range(3):
                run(garner, "sync", "--quiet", "museum.objects", folder=folder, check=False)
            with Dashboard(garner, "serve", folder=folder) as service:
                service.post("/streams/shop%2Eorders/pause")
                waits = True
                service.post("/streams/code%2Eissues/sync")
                yield service
                gate.set()
    finally:
        demo.terminate()
        demo.wait()
