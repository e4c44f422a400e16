// Where and why a text is not JSON, for the errors that simdjson reports without a place.
#pragma once

#include <simdjson.h>

#include "CSimdJSON.h"

const char *reason_for(simdjson::error_code error);

garner_json_failure locate(simdjson::error_code error, const char *bytes, size_t length);
