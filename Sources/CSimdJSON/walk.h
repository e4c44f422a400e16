// The reader: it reads simdjson's On-Demand front end once from front to back, and writes nodes.
#pragma once

#include <simdjson.h>

#include "nodes.h"

/// Appends the only value of the text. The place of a failure counts from `bytes`. `before` is the node of an earlier
/// value that may be alike, or 0 for none. It becomes the node with which to compare the next value.
garner_json_failure read_value(
    simdjson::ondemand::parser &parser, const char *bytes, size_t length, size_t &before, Nodes &nodes);
