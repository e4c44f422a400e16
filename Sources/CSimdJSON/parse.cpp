#include <cstdlib>
#include <new>
#include <simdjson.h>

#include "CSimdJSON.h"
#include "nodes.h"
#include "walk.h"

using namespace simdjson;

namespace {

constexpr size_t maximum_bytes = size_t(1) << 30;

/// Calls `read` for the nodes and hands them over, unless it fails.
template <typename Read>
garner_json_failure fill(garner_json_document *document, const char *bytes, size_t length, Read read) {
    *document = {};
    if (length >= maximum_bytes) return {GARNER_JSON_TOO_LARGE, maximum_bytes, "longer than 1 GiB"};
    try {
        Nodes nodes(bytes, length);
        garner_json_failure failure = read(nodes);
        if (failure.status == GARNER_JSON_OK) nodes.hand_over(document);
        return failure;
    } catch (const std::bad_alloc &) {
        return {GARNER_JSON_OUT_OF_MEMORY, 0, "not enough memory"};
    }
}

}  // namespace

size_t garner_json_padding(void) { return SIMDJSON_PADDING; }

garner_json_failure garner_json_parse(const char *bytes, size_t length, garner_json_document *document) {
    return fill(document, bytes, length, [&](Nodes &nodes) {
        ondemand::parser parser;
        size_t before = 0;
        return read_value(parser, bytes, length, before, nodes);
    });
}

void garner_json_release(garner_json_document *document) {
    free(document->nodes);
    free(document->arena);
    *document = {};
}
