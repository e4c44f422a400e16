import CMalloc

/// The buffers that pages come in and are parsed into.
enum LargeBuffers {
    /// Has them given back to the system when they are freed.
    ///
    /// "The M_MMAP_THRESHOLD … is dynamic by default" (mallopt(3)): after the first page, glibc would keep a buffer of that
    /// size in the arena of each thread.
    static func returnWhenFreed() { garner_return_buffers_beyond(256 << 10) }
}
