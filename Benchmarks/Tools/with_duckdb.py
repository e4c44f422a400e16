"""Upserts a list from local files with DuckDB, in its own format. It does no HTTP.

    with_duckdb.py FOLDER DATABASE
"""
import pathlib, sys

import duckdb

folder, database = sys.argv[1:]
files = str(pathlib.Path(folder) / "*.json")
with duckdb.connect(database) as connection:
    rows = f"SELECT unnest(data, recursive := true) FROM read_json('{files}', maximum_object_size = 100000000)"
    connection.execute(f"CREATE TABLE IF NOT EXISTS animals AS {rows} LIMIT 0")
    connection.execute("CREATE UNIQUE INDEX IF NOT EXISTS animals_id ON animals (id)")
    connection.execute(f"INSERT OR REPLACE INTO animals {rows}")
