#pragma once
#include <zlib.h>

// deflateInit2() is a macro with arguments, which Swift does not import. 16 more than the window's bits means gzip.
static inline int garner_zlib_begin_gzip(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

// The same for inflateInit2(): gzip, or deflate in the zlib format, as the data says.
static inline int garner_zlib_begin_inflate(z_stream *stream) {
    return inflateInit2(stream, 15 + 32);
}

// Deflate without a format around it.
static inline int garner_zlib_begin_raw_inflate(z_stream *stream) {
    return inflateInit2(stream, -15);
}
