// The flat array of the values' nodes, and the arena of the texts that had escapes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "CSimdJSON.h"
#include "scalars.h"

/// The exception for a source that is not JSON from this place on.
struct failed {
    garner_json_status status;
    const char *at;
    const char *reason;
};

class Nodes {
public:
    Nodes(const char *source, size_t length) : source_(source), length_(length) {}
    ~Nodes() {
        garner_buffer_free(nodes_);
        garner_buffer_free(arena_);
    }
    Nodes(const Nodes &) = delete;

    size_t count() const { return count_; }
    garner_json_node &operator[](size_t index) { return nodes_[index]; }
    uint8_t kind(size_t index) const { return garner_json_kind_of(&nodes_[index]); }

    garner_json_node &append(garner_json_kind kind, const char *text, size_t length) {
        if (count_ == capacity_) grow();
        garner_json_node &node = nodes_[count_++];
        node.head = garner_json_head(kind, text);
        node.length = uint32_t(length);
        node.nodes = 0;
        return node;
    }

    /// Appends the string that `text` spells, without its quotes.
    void append_string(const char *text, size_t length) {
        garner_json_node &node = append(GARNER_JSON_STRING, text, length);
        if (!memchr(text, '\\', length)) return;
        // Unescaping never lengthens a text, so an arena of the source's size is always large enough.
        if (!arena_ && !(arena_ = static_cast<char *>(garner_buffer_allocate(length_)))) throw std::bad_alloc();
        char *out = arena_ + used_;
        const char *bad = nullptr;
        bool replaced = false;
        size_t written = unescape(text, length, out, &replaced, &bad);
        if (bad) throw failed{GARNER_JSON_INVALID, bad, "an invalid escape in a string"};
        used_ += written;
        node.head = garner_json_head(GARNER_JSON_STRING, out) | uint64_t(replaced) << 56;
        node.length = uint32_t(written);
        if (replaced) notes_ |= GARNER_JSON_REPLACED_SURROGATES;
    }

    /// Returns the place after this value and all that it contains.
    size_t after(size_t index) const {
        return size_t(garner_json_next(&nodes_[index]) - nodes_);
    }

    /// Ends the array or object that began at `index` with the last node.
    void close(size_t index, size_t length) {
        nodes_[index].length = uint32_t(length);
        nodes_[index].nodes = uint32_t(count_ - index);
    }

    /// Returns true if the string at `index` has no escapes and equals the text up to the quote.
    bool is_spelled(size_t index, const char *text, const char *end) const {
        const garner_json_node &node = nodes_[index];
        const char *known = garner_json_text(&node);
        size_t length = size_t(node.length) + 1;
        if (size_t(known - source_) >= length_ || length > size_t(end - text)) return false;
        // It compares eight bytes at a time, since most keys are too short for a call of memcmp. Both texts are in the
        // source, whose padding may be read.
        for (size_t i = 0; i < length; i += 8) {
            uint64_t one, other;
            memcpy(&one, known + i, 8);
            memcpy(&other, text + i, 8);
            uint64_t difference = one ^ other;
            static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first bytes are the lowest");
            if (length - i < 8) difference <<= 8 * (8 - (length - i));
            if (difference) return false;
        }
        return true;
    }

    /// Notes that the object at `index` has a key twice, if it has.
    void note_duplicates(size_t index);

    void hand_over(garner_json_document *document) {
        if (length_ >= 4096) density.store(unsigned(count_ * 1024 / length_), std::memory_order_relaxed);
        *document = {nodes_, count_, arena_, notes_};
        nodes_ = nullptr;
        arena_ = nullptr;
    }

private:
    /// The number of nodes in each KiB of the document before, which the next one most likely resembles.
    static inline std::atomic<unsigned> density{0};

    const char *source_;
    size_t length_;
    garner_json_node *nodes_ = nullptr;
    size_t count_ = 0, capacity_ = 0;
    char *arena_ = nullptr;
    size_t used_ = 0;
    uint8_t notes_ = 0;
    std::vector<std::string_view> keys_;

    // The first call comes after the parser has its memory. The growing buffer then lies after the fixed ones, and
    // grows in place.
    [[gnu::noinline]] void grow() {
        size_t expected = std::min(length_ / 1024 * density.load(std::memory_order_relaxed) / 8 * 9, length_ / 8);
        size_t capacity = capacity_ == 0 ? std::max(expected, length_ / 16) + 64 : capacity_ * 2;
        void *grown = garner_buffer_grow(nodes_, capacity * sizeof(garner_json_node));
        if (!grown) throw std::bad_alloc();
        nodes_ = static_cast<garner_json_node *>(grown);
        capacity_ = garner_buffer_size(grown) / sizeof(garner_json_node);
    }
};
