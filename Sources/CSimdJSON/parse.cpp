#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <simdjson.h>

#include "CSimdJSON.h"
#include "nodes.h"
#include "walk.h"

using namespace simdjson;

namespace {

constexpr size_t maximum_bytes = size_t(1) << 30;

bool is_blank(const char *line, const char *end) {
    while (line < end && is_space(*line)) line++;
    return line == end;
}

// Doubles the room, so that growing lines do not allocate memory each time.
void make_room(ondemand::parser &parser, size_t length) {
    if (length <= parser.capacity()) return;
    if (parser.allocate(std::max(length, parser.capacity() * 2))) throw std::bad_alloc();
}

/// Appends the value of each line.
garner_json_failure read_lines(const char *bytes, size_t length, Nodes &nodes) {
    ondemand::parser parser;
    size_t before = 0;
    const char *end = bytes + length, *next = bytes;
    for (size_t number = 1; next < end; number++) {
        const char *line = next;
        const void *newline = memchr(line, '\n', size_t(end - line));
        const char *line_end = newline ? static_cast<const char *>(newline) : end;
        next = newline ? line_end + 1 : end;
        if (line_end > line && line_end[-1] == '\r') line_end--;
        if (is_blank(line, line_end)) continue;
        make_room(parser, size_t(line_end - line));
        garner_json_failure failure = read_value(parser, line, size_t(line_end - line), before, nodes);
        if (failure.status == GARNER_JSON_OK) continue;
        failure.offset += size_t(line - bytes);
        failure.line = number;
        return failure;
    }
    return {};
}

/// Calls `read` with the nodes, and hands them over unless it fails.
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
        // The parser is kept for the next document, unless it needs much memory.
        static thread_local ondemand::parser kept;
        ondemand::parser own;
        size_t before = 0;
        return read_value(length <= (1 << 20) ? kept : own, bytes, length, before, nodes);
    });
}

garner_json_failure garner_json_parse_lines(const char *bytes, size_t length, garner_json_document *document) {
    return fill(document, bytes, length, [&](Nodes &nodes) {
        nodes.append(GARNER_JSON_ARRAY, bytes, 0);
        garner_json_failure failure = read_lines(bytes, length, nodes);
        nodes.close(0, length);
        return failure;
    });
}

void garner_json_release(garner_json_document *document) {
    garner_buffer_free(document->nodes);
    garner_buffer_free(document->arena);
    *document = {};
}

size_t garner_json_number_length(const char *text) {
    const char *end = text;
    while ((*end >= '0' && *end <= '9') || *end == '.' || *end == '-' || *end == '+' || *end == 'e' || *end == 'E') end++;
    return size_t(end - text);
}

bool garner_json_is_utf8(const char *bytes, size_t length) { return simdjson::validate_utf8(bytes, length); }
