"""The API that the commands of the documentation ask. Usage: shop.py FOLDER

It writes its port to FOLDER/port, and takes its state from FOLDER/state before each answer: 'first', 'changed', 'odd', 'down' or 'rotated'.
What is posted to it is in FOLDER/received. The first part of a path is the name of the host in the documentation, as in
https://api.example.org/v1/orders.
"""

import http.server
import json
import os
import sys
import urllib.parse

folder = sys.argv[1]
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)


def order(number, customer, status, total, day, **more):
    lines = [{"sku": "tea", "quantity": number}] + ([{"sku": "cup", "quantity": 2}] if number % 2 else [])
    return {"id": number, "customer": {"id": customer, "name": ["Ada", "Bob", "Cleo"][customer - 1]}, "status": status, "total": total,
            "lines": lines, "updated_at": f"2025-03-{day:02}T08:00:00Z", **more}


ORDERS = [order(1, 1, "paid", 19.9, 1), order(2, 2, "open", 5, 2), order(3, 1, "cancelled", 7.5, 3), order(4, 3, "paid", 120, 4),
          order(5, 2, "open", 42, 5)]
CHANGED = [ORDERS[0], order(2, 2, "paid", 5, 6), ORDERS[3], ORDERS[4], order(6, 3, "open", 11, 7)]
ODD = [ORDERS[0], order(2, 2, "open", "to be agreed", 2), *ORDERS[2:]]
CUSTOMERS = [{"id": number, "name": name, "email": f"{name.lower()}@mail.example", "phone": f"+49 30 55{number}", "postcode": postcode}
             for number, name, postcode in [(1, "Ada", 10115), (2, "Bob", 10117), (3, "Cleo", 10119)]]
READINGS = [{"id": number, "celsius": celsius} for number, celsius in [(1, 20.5), (2, 21.5), (3, "n/a"), (4, 19.5)]]
EVENTS = [{"id": number, "kind": "visit" if number % 3 else "sale", "at": f"2025-{1 + number // 28:02}-{1 + number % 28:02}T00:00:00Z"}
          for number in range(1, 101)]


class Shop(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        host, *path = parts.path.strip("/").split("/")
        if host == "hooks":
            self.receive(f"GET {self.path}".encode())
            return self.answer({"ok": True})
        state = read("state")
        here = f"http://{self.headers['Host']}/{host}"
        refusal = self.refusal(host, query, state)
        if refusal:
            return self.answer({"error": refusal[1]}, refusal[0])
        if path[:1] == ["photos"]:
            self.answer(PICTURE, 200, "image/png")
        elif [host, *path] == ["tokens", "v1", "orders"]:
            account = self.headers["Authorization"].rpartition("-")[2].split("_")[0].lower()
            self.answer(self.page([dict(record, account=account) for record in ORDERS[:2]], query, here + "/v1/orders"))
        elif path == ["v1", "orders"]:
            records = {"changed": CHANGED, "odd": ODD}.get(state, ORDERS)
            records = [record for record in records if record["updated_at"] >= query.get("updated_since", "")]
            records = [record for record in records if record["status"] == query.get("status", record["status"])]
            self.answer(self.page(records, query, here + "/v1/orders"))
        elif path == ["v1", "customers"]:
            self.answer([dict(record, photo_url=f"{here}/photos/{record['id']}") for record in CUSTOMERS])
        elif path[:2] == ["v1", "customers"] and path[3:] == ["notes"]:
            number = int(path[2])
            self.answer([{"id": 10 * number, "text": f"Note on {CUSTOMERS[number - 1]['name']}"}])
        elif path == ["v1", "prices"]:
            self.answer([{"sku": "cup", "price": 12}, {"sku": "tea", "price": 4.8 if state == "changed" else 4.5}])
        elif path == ["v1", "readings"]:
            self.answer(READINGS)
        elif path == ["v1", "events"]:
            records = [record for record in EVENTS if query.get("from", "") <= record["at"] < query.get("to", "9")]
            self.answer(self.page(records, query, here + "/v1/events", 10))
        else:
            self.answer({"error": "no such place"}, 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.path.startswith("/hooks"):
            self.receive(body)
            return self.answer({"ok": True})
        if self.path in ["/login/token", "/sessions/v1/login"]:
            return self.answer({"access_token": f"test{self.path.replace('/', '-')}", "expires_in": 3600})
        asked = json.loads(body)
        self.answer({"data": [record for record in ORDERS if record["status"] == asked["status"]]})

    def receive(self, content):
        with open(os.path.join(folder, "received"), "ab") as file:
            file.write(content + b"\n")

    def refusal(self, host, query, state):
        authorization = self.headers["Authorization"] or ""
        if state == "down":
            return 503, "down for maintenance"
        if host == "versions" and self.headers["API-Version"] != "2":
            return 400, "which API-Version?"
        if host == "keys" and query.get("api_key") != "test-SHOP_KEY":
            return 401, "which api_key?"
        if host == "names" and self.headers["X-API-Key"] != "test-SHOP_KEY":
            return 401, "which X-API-Key?"
        if host == "crm" and authorization != "Bearer test-login-token":
            return 401, "which token?"
        if host == "sessions" and authorization != "Bearer test-sessions-v1-login":
            return 401, "which session?"
        if host == "passwords" and not authorization.startswith("Basic "):
            return 401, "which password?"
        if host == "tokens" and not authorization.startswith("Bearer test-"):
            return 401, "which token?"
        if host == "tokens" and state == "rotated" and authorization != "Bearer test-new":
            return 401, "this token is no longer valid"

    def page(self, records, query, url, size=2):
        number = int(query.pop("page", 1))
        more = number * size < len(records)
        query = urllib.parse.urlencode({**query, "page": number + 1})
        return {"data": records[(number - 1) * size:number * size], "total": len(records), "next": f"{url}?{query}" if more else None}

    def answer(self, content, status=200, media_type="application/json"):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def read(name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read().strip()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
with open(os.path.join(folder, "port.new"), "w", encoding="utf-8") as file:
    file.write(str(server.server_port))
os.rename(os.path.join(folder, "port.new"), os.path.join(folder, "port"))
server.serve_forever()
