"""Keeps a table in step with dlt's source for REST APIs.

    with_dlt.py URL DATABASE
"""
import os, pathlib, sys

os.environ |= {"RUNTIME__DLTHUB_TELEMETRY": "false", "RUNTIME__LOG_LEVEL": "ERROR"}
import dlt
from dlt.sources.rest_api import rest_api_source

url, database = sys.argv[1:]
base, path = url.rsplit("/", 1)
source = rest_api_source({
    "client": {"base_url": base, "paginator": {"type": "json_link", "next_url_path": "next"}},
    "resources": [{
        "name": "animals", "primary_key": "id", "write_disposition": "merge",
        "endpoint": {"path": path, "data_selector": "data"},
    }],
})
pipeline = dlt.pipeline(
    "animals", destination=dlt.destinations.sqlalchemy(f"sqlite:///{database}"), dataset_name="main",
    pipelines_dir=str(pathlib.Path(database).parent / "pipelines"))
pipeline.run(source).raise_on_failed_jobs()
