#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns true if the processor has instructions for SHA-256.
bool garner_sha256_has_instructions(void);

// Adds blocks of 64 bytes to a hash of eight words (FIPS 180-4, section 6.2.2) with these instructions, which the
// processor must have. The constants are the 64 of section 4.2.2.
void garner_sha256_add(uint32_t *hash, const uint8_t *blocks, size_t count, const uint32_t *constants);
