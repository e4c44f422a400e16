// The buffers of documents and their nodes. Pages are read one after the other, so the buffers of a page are reused for
// the next one. This touches no new memory for each page, and keeps no buffer in the arena of every thread.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "CSimdJSON.h"

namespace {

/// The header before the bytes of a buffer, which keeps them aligned.
struct alignas(16) Header {
    size_t size;
};

constexpr size_t smallest = 64 << 10, largest = 4 << 20, most = 8 << 20;

/// Rounds a size up to one of eight between two powers of two. The pages of a list differ by a few bytes, and a buffer that
/// is kept then fits the next one, too.
size_t rounded(size_t size) {
    if (size < smallest || size > largest) return size;
    size_t step = size_t(1) << (63 - __builtin_clzll(size) - 3);
    return (size + step - 1) / step * step;
}

class Pool {
public:
    /// Takes a buffer that is large enough, but not much larger; null if there is none.
    Header *take(size_t size) {
        std::lock_guard<std::mutex> guard(mutex_);
        Header **best = nullptr;
        for (Header *&kept : kept_) {
            if (kept && kept->size >= size && kept->size / 4 <= size && (!best || kept->size < (*best)->size)) best = &kept;
        }
        if (!best) return nullptr;
        Header *taken = *best;
        *best = nullptr;
        total_ -= taken->size;
        return taken;
    }

    /// Returns true if the buffer is kept.
    bool give(Header *header) {
        if (header->size < smallest || header->size > largest) return false;
        std::lock_guard<std::mutex> guard(mutex_);
        if (total_ + header->size > most) return false;
        for (Header *&kept : kept_) {
            if (kept) continue;
            kept = header;
            total_ += header->size;
            return true;
        }
        return false;
    }

private:
    std::mutex mutex_;
    std::array<Header *, 8> kept_{};
    size_t total_ = 0;
};

Pool pool;

Header *header_of(void *buffer) { return static_cast<Header *>(buffer) - 1; }

}  // namespace

void *garner_buffer_allocate(size_t size) {
    if (size > SIZE_MAX - sizeof(Header)) return nullptr;
    size = rounded(size);
    Header *header = size < smallest ? nullptr : pool.take(size);
    if (!header) {
        header = static_cast<Header *>(malloc(sizeof(Header) + size));
        if (!header) return nullptr;
        header->size = size;
    }
    return header + 1;
}

void *garner_buffer_grow(void *buffer, size_t size) {
    if (!buffer) return garner_buffer_allocate(size);
    Header *old = header_of(buffer);
    if (old->size >= size) return buffer;
    if (old->size > largest) {
        // The system moves pages as large as that to another address, instead of copying what they hold.
        if (size > SIZE_MAX - sizeof(Header)) return nullptr;
        Header *moved = static_cast<Header *>(realloc(old, sizeof(Header) + size));
        if (!moved) return nullptr;
        moved->size = size;
        return moved + 1;
    }
    void *grown = garner_buffer_allocate(size);
    if (!grown) return nullptr;
    memcpy(grown, buffer, old->size);
    garner_buffer_free(buffer);
    return grown;
}

size_t garner_buffer_size(const void *buffer) { return (static_cast<const Header *>(buffer) - 1)->size; }

void garner_buffer_free(void *buffer) {
    if (!buffer) return;
    Header *header = header_of(buffer);
    if (!pool.give(header)) free(header);
}
