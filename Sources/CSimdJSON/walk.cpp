// The reader: it reads simdjson's On-Demand front end once from front to back, and writes nodes.

#include "walk.h"

#include <cstdlib>

#include "locate.h"

namespace {

/// Returns true if `real` keeps the digits of the number at `value`. No digit may follow `token`.
template <typename Value>
bool is_double(Value &value, std::string_view token, const Number &shape, double &real) {
    // No double has more than 17 digits.
    if (shape.is_integer || shape.significant_digits > 17) return false;
    // simdjson 3.0 reads some numbers of more than 19 digits wrongly, such as 0.50000000000000000000.
    bool is_long = shape.written_digits > 19;
    if (is_long) real = strtod(token.data(), nullptr);
    else if (value.get_double().get(real)) return false;
    // A double returns any decimal of up to 15 digits (IEEE 754, DBL_DIG), unless it is too small or too large.
    if (!is_long && shape.significant_digits <= 15 && labs(shape.exponent) < 308) return true;
    return round_trips(real, shape);
}

class Walk {
    using document_type = simdjson::ondemand::document;
    using value_type = simdjson::ondemand::value;
    using json_type = simdjson::ondemand::json_type;

public:
    Walk(Nodes &nodes, const char *end) : nodes_(nodes), end_(end) {}

    /// Returns the same as `any`.
    bool document(document_type &document, size_t before) {
        json_type type = known(document.type(), document);
        if (type == json_type::array || type == json_type::object) {
            value_type root = known(document.get_value(), document);
            bool is_alike = container(root, type, 1, before);
            const char *at = end_;
            if (document.current_location().get(at)) return is_alike;  // out of bounds: nothing follows
            throw failed{GARNER_JSON_INVALID, at, trailing};
        }
        std::string_view token = known(document.raw_json_token(), document);
        for (const char *at = token.data() + token.size(); at < end_; at++)
            if (!is_space(*at)) throw failed{GARNER_JSON_INVALID, at, trailing};
        scalar(document, type, token);
        return true;
    }

private:
    static constexpr size_t maximum_depth = 512;
    static constexpr const char *trailing = "unexpected text after the value";

    /// The members of an earlier object at the same place. Most often the keys are the same in the same order. One
    /// comparison then finds a key's end and proves that the key is no duplicate.
    struct Precedent {
        size_t next = 0, end = 0;
        /// True if the keys so far are keys of the precedent, in its order.
        bool is_followed = true;
    };

    Nodes &nodes_;
    const char *end_;

    template <typename Value, typename Place>
    Value known(simdjson::simdjson_result<Value> result, Place &place) {
        Value value;
        if (simdjson::error_code error = std::move(result).get(value)) fail(error, place);
        return value;
    }

    template <typename Place>
    [[noreturn]] void fail(simdjson::error_code error, Place &place) {
        const char *at = end_;
        if (place.current_location().get(at)) at = end_;
        auto status = error == simdjson::DEPTH_ERROR ? GARNER_JSON_TOO_DEEP : GARNER_JSON_INVALID;
        throw failed{status, at, reason_for(error)};
    }

    /// Appends a value. `before` is the node of an earlier value at this place, or 0 for none.
    /// Returns true if that value serves the next value as well as this one would.
    bool any(value_type &value, size_t depth, size_t before) {
        json_type type = known(value.type(), value);
        if (type == json_type::array || type == json_type::object) return container(value, type, depth, before);
        scalar(value, type, value.raw_json_token());
        return true;
    }

    bool container(value_type &value, json_type type, size_t depth, size_t before) {
        const char *start = value.raw_json_token().data();
        if (depth > maximum_depth) throw failed{GARNER_JSON_TOO_DEEP, start, "nested deeper than 512 levels"};
        size_t index = nodes_.count();
        bool is_object = type == json_type::object;
        nodes_.append(is_object ? GARNER_JSON_OBJECT : GARNER_JSON_ARRAY, start, 0);
        bool is_alike = is_object ? members(value, depth, before) : elements(value, depth, before);
        const char *after = end_;
        if (value.current_location().get(after)) after = end_;
        while (after > start && after[-1] != (is_object ? '}' : ']')) after--;
        nodes_.close(index, size_t(after - start));
        if (is_object && !is_alike) nodes_.note_duplicates(index);
        return is_alike;
    }

    bool elements(value_type &value, size_t depth, size_t before) {
        bool is_alike = before && nodes_.kind(before) == GARNER_JSON_ARRAY;
        size_t earlier = is_alike && nodes_[before].nodes > 1 ? before + 1 : 0;
        simdjson::ondemand::array array = known(value.get_array(), value);
        for (auto item : array) {
            if (simdjson::error_code error = item.error()) fail(error, value);
            value_type element = std::move(item).value_unsafe();
            size_t index = nodes_.count();
            if (!any(element, depth + 1, earlier)) earlier = index;
        }
        return is_alike;
    }

    /// Returns true if all keys are the precedent's, so that there are no duplicates.
    bool members(value_type &value, size_t depth, size_t before) {
        Precedent precedent;
        if (before && nodes_.kind(before) == GARNER_JSON_OBJECT) precedent = {before + 1, nodes_.after(before), true};
        simdjson::ondemand::object object = known(value.get_object(), value);
        for (auto item : object) {
            if (simdjson::error_code error = item.error()) fail(error, value);
            simdjson::ondemand::field field = std::move(item).value_unsafe();
            size_t precedent_value = key(field.key().raw(), precedent);
            any(field.value(), depth + 1, precedent_value);
        }
        return precedent.is_followed;
    }

    /// Appends a key. Returns the value that it had in the precedent, or 0.
    size_t key(const char *text, Precedent &precedent) {
        // The object may lack a few members of the precedent.
        size_t candidate = precedent.next;
        for (int tries = 0; tries < 4 && candidate < precedent.end; tries++) {
            size_t value = candidate + 1;
            if (nodes_.is_spelled(candidate, text, end_)) {
                nodes_.append(GARNER_JSON_STRING, text, nodes_[candidate].length);
                precedent.next = nodes_.after(value);
                return value;
            }
            candidate = nodes_.after(value);
        }
        precedent.is_followed = false;
        // A key's token ends at the first quote without a backslash. Keys are short.
        const char *quote = text;
        while (*quote != '"') quote += *quote == '\\' ? 2 : 1;
        nodes_.append_string(text, size_t(quote - text));
        return 0;
    }

    template <typename Value>
    void scalar(Value &value, json_type type, std::string_view token) {
        while (!token.empty() && is_space(token.back())) token.remove_suffix(1);
        switch (type) {
        case json_type::string:
            known(value.get_raw_json_string(), value);
            if (token.size() < 2 || token.back() != '"')
                throw failed{GARNER_JSON_INVALID, token.data(), "a string without its end"};
            return nodes_.append_string(token.data() + 1, token.size() - 2);
        case json_type::number:
            return number(value, token);
        case json_type::boolean:
            if (token != "true" && token != "false")
                throw failed{GARNER_JSON_INVALID, token.data(), "not a JSON value"};
            nodes_.append(token[0] == 't' ? GARNER_JSON_TRUE : GARNER_JSON_FALSE, token.data(), token.size());
            return;
        default:
            if (token != "null") throw failed{GARNER_JSON_INVALID, token.data(), "not a JSON value"};
            nodes_.append(GARNER_JSON_NULL, token.data(), token.size());
        }
    }

    template <typename Value>
    void number(Value &value, std::string_view token) {
        Number shape = read_number(token);
        if (!shape.valid) throw failed{GARNER_JSON_INVALID, token.data(), "not a JSON number"};
        if (shape.fits_int64) {
            nodes_.append(GARNER_JSON_INTEGER, token.data(), token.size()).integer = shape.integer;
            return;
        }
        double real = 0;
        bool exact = is_double(value, token, shape, real);
        garner_json_node &node = nodes_.append(exact ? GARNER_JSON_REAL : GARNER_JSON_NUMBER, token.data(), token.size());
        if (exact) node.real = real;
    }
};

}  // namespace

garner_json_failure read_value(
    simdjson::ondemand::parser &parser, const char *bytes, size_t length, size_t &before, Nodes &nodes) {
    // Later versions of simdjson skip a byte order mark themselves, and would not notice a second one.
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) return {GARNER_JSON_INVALID, 0, "not a JSON value"};
    try {
        simdjson::ondemand::document source;
        simdjson::padded_string_view text(bytes, length, length + simdjson::SIMDJSON_PADDING);
        if (simdjson::error_code error = parser.iterate(text).get(source)) return locate(error, bytes, length);
        size_t index = nodes.count();
        if (!Walk(nodes, bytes + length).document(source, before)) before = index;
        return {};
    } catch (const failed &failure) {
        size_t offset = failure.at >= bytes && failure.at <= bytes + length ? size_t(failure.at - bytes) : length;
        return {failure.status, offset, offset >= length ? "the text ends too early" : failure.reason};
    }
}

garner_json_kind garner_json_spelled(const char *text, size_t length, garner_json_node *number) {
    constexpr size_t longest = 400;
    Number shape = read_number({text, length});
    if (!shape.valid || length > longest) return GARNER_JSON_NULL;
    number->integer = shape.integer;
    if (shape.fits_int64) return GARNER_JSON_INTEGER;
    static thread_local simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    char copy[longest + simdjson::SIMDJSON_PADDING] = {};
    memcpy(copy, text, length);
    simdjson::padded_string_view padded(copy, length, sizeof copy);
    if (parser.iterate(padded).get(document)) return GARNER_JSON_NUMBER;
    return is_double(document, {copy, length}, shape, number->real) ? GARNER_JSON_REAL : GARNER_JSON_NUMBER;
}
