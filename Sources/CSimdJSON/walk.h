// The walk: simdjson's On-Demand front end is read once, front to back, and laid out as nodes.
#pragma once

#include <simdjson.h>

#include "nodes.h"

/// Appends the one value that the text says; the place of a failure counts from `bytes`. `before` is the node of an
/// earlier value that may be alike, or 0 for none, and becomes the one to compare the next with.
garner_json_failure read_value(
    simdjson::ondemand::parser &parser, const char *bytes, size_t length, size_t &before, Nodes &nodes);
