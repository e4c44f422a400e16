#include "CBuild.h"

#include <simdjson.h>
#include <sqlite3.h>
#include <xxhash.h>
#include <yaml.h>

#include <string>

#define SPELLED(x) #x
#define TEXT(x) SPELLED(x)

// A section of its own, which objcopy finds in the finished program.
#ifdef __ELF__
__attribute__((section(".garner.build"), used))
#endif
const char garner_build_record[256] = "";

const char *garner_sqlite_version(void) { return sqlite3_libversion(); }

const char *garner_libyaml_version(void) { return yaml_get_version_string(); }

const char *garner_simdjson_version(void) {
    // The macro of the same meaning has quotes in later versions only.
    static const std::string version = std::to_string(simdjson::SIMDJSON_VERSION_MAJOR) + "." +
                                       std::to_string(simdjson::SIMDJSON_VERSION_MINOR) + "." +
                                       std::to_string(simdjson::SIMDJSON_VERSION_REVISION);
    return version.c_str();
}

const char *garner_xxhash_version(void) {
    return TEXT(XXH_VERSION_MAJOR) "." TEXT(XXH_VERSION_MINOR) "." TEXT(XXH_VERSION_RELEASE);
}
