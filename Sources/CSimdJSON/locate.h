// The place and the reason of an error that simdjson reports without a place.
#pragma once

#include <simdjson.h>

#include "CSimdJSON.h"

const char *reason_for(simdjson::error_code error);

garner_json_failure locate(simdjson::error_code error, const char *bytes, size_t length);
