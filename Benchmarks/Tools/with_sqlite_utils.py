"""Follows the links of a list with requests, and upserts each page with sqlite-utils.

    with_sqlite_utils.py URL DATABASE
"""
import sys

import requests
import sqlite_utils

url, database = sys.argv[1:]
animals = sqlite_utils.Database(database)["animals"]
with requests.Session() as session:
    while url:
        page = session.get(url, timeout=60).json()
        animals.upsert_all(page["data"], pk="id")
        url = page["next"]
