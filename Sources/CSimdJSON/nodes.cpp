#include "nodes.h"

#include <algorithm>

namespace {

constexpr size_t few = 16;

/// Returns a number that differs for most different texts.
uint64_t fingerprint(std::string_view text) {
    uint64_t first = 0, last = 0;
    if (text.size() >= 8) {
        memcpy(&first, text.data(), 8);
        memcpy(&last, text.data() + text.size() - 8, 8);
    } else {
        for (char c : text) first = first << 8 | uint8_t(c);
    }
    return (first * 0x9E3779B97F4A7C15 ^ last) * 0xC2B2AE3D27D4EB4F + text.size();
}

/// Compares all pairs. For a few keys this is faster than sorting.
bool have_equals(const std::vector<std::string_view> &keys) {
    uint64_t prints[few];
    for (size_t i = 0; i < keys.size(); i++) {
        prints[i] = fingerprint(keys[i]);
        for (size_t j = 0; j < i; j++)
            if (prints[i] == prints[j] && keys[i] == keys[j]) return true;
    }
    return false;
}

}  // namespace

void Nodes::note_duplicates(size_t index) {
    if (notes_ & GARNER_JSON_DUPLICATE_KEYS) return;
    keys_.clear();
    for (size_t key = index + 1, end = after(index); key < end; key = after(key + 1))
        keys_.emplace_back(garner_json_text(&nodes_[key]), nodes_[key].length);
    bool found;
    if (keys_.size() <= few) {
        found = have_equals(keys_);
    } else {
        std::sort(keys_.begin(), keys_.end());
        found = std::adjacent_find(keys_.begin(), keys_.end()) != keys_.end();
    }
    if (found) notes_ |= GARNER_JSON_DUPLICATE_KEYS;
}
