// What this program was built of.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Lines such as `commit=1f0c…`. Empty, unless `script/package` has filled it: the compiler knows neither the commit nor
/// its own exact version.
extern const char garner_build_record[256];

/// The version of the libsqlite3 in use, which may be newer than the one whose header was compiled.
const char *garner_sqlite_version(void);

/// The versions of the libraries that are a part of the program.
const char *garner_libyaml_version(void);
const char *garner_simdjson_version(void);
const char *garner_xxhash_version(void);

#ifdef __cplusplus
}
#endif
