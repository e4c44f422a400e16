#pragma once

#include <stddef.h>
#include <stdint.h>

// Writes a field of CSV (RFC 4180): the text as it is, or in quotes where it has a comma, a quote or an end of a line.
// The output has room for 2 * length + 2 bytes, since each byte may be a quote, and does not overlap the text.
// Returns the number of bytes written.
size_t garner_csv_field(uint8_t *output, const uint8_t *text, size_t length);
