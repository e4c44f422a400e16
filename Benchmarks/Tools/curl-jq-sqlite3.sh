#!/usr/bin/env bash
# What people write without a tool: follows the links of a list, and upserts each page.
#
#   curl-jq-sqlite3.sh URL DATABASE
set -euo pipefail
url=$1 database=$2
page=$(mktemp)
rows=$(mktemp)
trap 'rm -f -- "$page" "$rows"' EXIT
columns=(id name latin_name animal_type active_time length_min length_max weight_min weight_max lifespan habitat diet geo_range
    image_link updated_at)
list=$(IFS=, && echo "${columns[*]}")
sqlite3 "$database" "CREATE TABLE IF NOT EXISTS animals (id INTEGER PRIMARY KEY, $(IFS=, && echo "${columns[*]:1}"))"
while [[ $url != null ]]; do
    curl --silent --show-error --fail --output "$page" "$url"
    jq --raw-output ".data[] | [$(printf '.%s,' "${columns[@]}" | sed 's/,$//')] | @csv" "$page" >"$rows"
    sqlite3 "$database" "CREATE TEMP TABLE page ($list)" ".import --csv --schema temp $rows page" \
        "INSERT OR REPLACE INTO animals SELECT * FROM page"
    url=$(jq --raw-output .next "$page")
done
