// The walk: simdjson's On-Demand front end is read once, front to back, and laid out as nodes.

#include <cstdlib>
#include <cstring>
#include <new>
#include <simdjson.h>

#include "CSimdJSON.h"
#include "locate.h"
#include "scalars.h"

using namespace simdjson;

namespace {

constexpr size_t maximum_depth = 512;
constexpr size_t maximum_bytes = size_t(1) << 30;

struct failed {
    garner_json_status status;
    const char *at;
    const char *reason;
};

class Walk {
public:
    Walk(const char *bytes, size_t length) : bytes_(bytes), end_(bytes + length) { reserve(length / 16 + 64); }
    ~Walk() {
        free(nodes_);
        free(arena_);
    }
    Walk(const Walk &) = delete;

    void document(ondemand::document &document) {
        ondemand::json_type type = known(document.type(), document);
        if (type == ondemand::json_type::array || type == ondemand::json_type::object) {
            ondemand::value root = known(document.get_value(), document);
            container(root, type, 1);
            const char *at = end_;
            if (document.current_location().get(at)) return;  // out of bounds: nothing follows
            throw failed{GARNER_JSON_INVALID, at, trailing};
        }
        std::string_view token = known(document.raw_json_token(), document);
        for (const char *at = token.data() + token.size(); at < end_; at++)
            if (!is_space(*at)) throw failed{GARNER_JSON_INVALID, at, trailing};
        scalar(document, type, token);
    }

    void hand_over(garner_json_document *document) {
        *document = {nodes_, count_, arena_};
        nodes_ = nullptr;
        arena_ = nullptr;
    }

private:
    static constexpr const char *trailing = "unexpected text after the value";
    const char *bytes_;
    const char *end_;
    garner_json_node *nodes_ = nullptr;
    size_t count_ = 0, capacity_ = 0;
    char *arena_ = nullptr;
    size_t used_ = 0;

    void reserve(size_t capacity) {
        void *grown = realloc(nodes_, capacity * sizeof(garner_json_node));
        if (!grown) throw std::bad_alloc();
        nodes_ = static_cast<garner_json_node *>(grown);
        capacity_ = capacity;
    }

    garner_json_node &append(garner_json_kind kind, const char *text, size_t length) {
        if (count_ == capacity_) reserve(capacity_ * 2);
        garner_json_node &node = nodes_[count_++];
        node.kind = kind;
        node.replaced = 0;
        node.length = uint32_t(length);
        node.text = text;
        node.nodes = 0;
        return node;
    }

    template <typename Value, typename Place>
    Value known(simdjson_result<Value> result, Place &place) {
        Value value;
        if (error_code error = std::move(result).get(value)) fail(error, place);
        return value;
    }

    template <typename Place>
    [[noreturn]] void fail(error_code error, Place &place) {
        const char *at = end_;
        if (place.current_location().get(at)) at = end_;
        throw failed{error == DEPTH_ERROR ? GARNER_JSON_TOO_DEEP : GARNER_JSON_INVALID, at, reason_for(error)};
    }

    void any(ondemand::value &value, size_t depth) {
        ondemand::json_type type = known(value.type(), value);
        if (type == ondemand::json_type::array || type == ondemand::json_type::object) return container(value, type, depth);
        scalar(value, type, value.raw_json_token());
    }

    void container(ondemand::value &value, ondemand::json_type type, size_t depth) {
        const char *start = value.raw_json_token().data();
        if (depth > maximum_depth) throw failed{GARNER_JSON_TOO_DEEP, start, "nested deeper than 512 levels"};
        size_t index = count_;
        if (type == ondemand::json_type::object) {
            append(GARNER_JSON_OBJECT, start, 0);
            ondemand::object object = known(value.get_object(), value);
            for (auto item : object) {
                if (error_code error = item.error()) fail(error, value);
                ondemand::field field = std::move(item).value_unsafe();
                key(field.key().raw());
                any(field.value(), depth + 1);
            }
        } else {
            append(GARNER_JSON_ARRAY, start, 0);
            ondemand::array array = known(value.get_array(), value);
            for (auto item : array) {
                if (error_code error = item.error()) fail(error, value);
                ondemand::value element = std::move(item).value_unsafe();
                any(element, depth + 1);
            }
        }
        const char *after = end_;
        if (value.current_location().get(after)) after = end_;
        while (after > start && after[-1] != (type == ondemand::json_type::object ? '}' : ']')) after--;
        nodes_[index].length = uint32_t(after - start);
        nodes_[index].nodes = count_ - index;
    }

    // A key's token ends at the first quote that no backslash precedes; keys are short.
    void key(const char *text) {
        const char *quote = text;
        while (*quote != '"') quote += *quote == '\\' ? 2 : 1;
        string(text, size_t(quote - text));
    }

    void string(const char *text, size_t length) {
        garner_json_node &node = append(GARNER_JSON_STRING, text, length);
        if (!memchr(text, '\\', length)) return;
        // Unescaping never lengthens a text, so an arena of the source's size always suffices.
        if (!arena_ && !(arena_ = static_cast<char *>(malloc(size_t(end_ - bytes_))))) throw std::bad_alloc();
        char *out = arena_ + used_;
        const char *bad = nullptr;
        bool replaced = false;
        size_t written = unescape(text, length, out, &replaced, &bad);
        if (bad) throw failed{GARNER_JSON_INVALID, bad, "an invalid escape in a string"};
        used_ += written;
        node.text = out;
        node.length = uint32_t(written);
        node.replaced = replaced;
    }

    template <typename Value>
    void scalar(Value &value, ondemand::json_type type, std::string_view token) {
        while (!token.empty() && is_space(token.back())) token.remove_suffix(1);
        switch (type) {
        case ondemand::json_type::string:
            known(value.get_raw_json_string(), value);
            if (token.size() < 2 || token.back() != '"') throw failed{GARNER_JSON_INVALID, token.data(), "a string without its end"};
            return string(token.data() + 1, token.size() - 2);
        case ondemand::json_type::number:
            return number(value, token);
        case ondemand::json_type::boolean:
            if (token != "true" && token != "false") throw failed{GARNER_JSON_INVALID, token.data(), "not a JSON value"};
            append(token[0] == 't' ? GARNER_JSON_TRUE : GARNER_JSON_FALSE, token.data(), token.size());
            return;
        default:
            if (token != "null") throw failed{GARNER_JSON_INVALID, token.data(), "not a JSON value"};
            append(GARNER_JSON_NULL, token.data(), token.size());
        }
    }

    template <typename Value>
    void number(Value &value, std::string_view token) {
        Number shape = read_number(token);
        if (!shape.valid) throw failed{GARNER_JSON_INVALID, token.data(), "not a JSON number"};
        if (shape.fits_int64) {
            append(GARNER_JSON_INTEGER, token.data(), token.size()).integer = shape.integer;
            return;
        }
        double real = 0;
        // A double gives back any decimal of up to 15 significant digits (IEEE 754, DBL_DIG).
        bool exact = !shape.is_integer && !value.get_double().get(real)
            && (shape.significant_digits <= 15 ? shape.in_normal_range : round_trips(real, token));
        append(exact ? GARNER_JSON_REAL : GARNER_JSON_NUMBER, token.data(), token.size()).real = real;
    }
};

}  // namespace

size_t garner_json_padding(void) { return SIMDJSON_PADDING; }

garner_json_failure garner_json_parse(const char *bytes, size_t length, garner_json_document *document) {
    *document = {};
    if (length >= maximum_bytes) return {GARNER_JSON_TOO_LARGE, maximum_bytes, "longer than 1 GiB"};
    try {
        ondemand::parser parser;
        ondemand::document source;
        error_code error = parser.iterate(padded_string_view(bytes, length, length + SIMDJSON_PADDING)).get(source);
        if (error) return locate(error, bytes, length);
        Walk walk(bytes, length);
        walk.document(source);
        walk.hand_over(document);
        return {};
    } catch (const failed &failure) {
        size_t offset = failure.at >= bytes && failure.at <= bytes + length ? size_t(failure.at - bytes) : length;
        return {failure.status, offset, offset >= length ? "the text ends too early" : failure.reason};
    } catch (const std::bad_alloc &) {
        return {GARNER_JSON_OUT_OF_MEMORY, 0, "not enough memory"};
    }
}

void garner_json_release(garner_json_document *document) {
    free(document->nodes);
    free(document->arena);
    *document = {};
}
