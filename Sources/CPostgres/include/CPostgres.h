// The functions of libpq that Garner calls, found when they are needed. A program that is linked with libpq would start with
// 22 more libraries.
//
// The prototypes and numbers are those of libpq's version 5, which keeps them (postgresql.org/docs/current/libpq.html).
#pragma once

#pragma clang assume_nonnull begin

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;

// An option of a connection with the value that it has, or NULL.
typedef struct {
    // NULL behind the last one.
    char *_Nullable keyword;
    char *_Nullable envvar;
    char *_Nullable compiled;
    char *_Nullable val;
    char *label;
    // "*" for a value that must be hidden.
    char *dispchar;
    int dispsize;
} PQconninfoOption;

typedef void (*PQnoticeReceiver)(void *_Nullable argument, const PGresult *_Nullable notice);

// Calls FUNCTION(result, name, parameters…) for each.
#define GARNER_LIBPQ(FUNCTION) \
    FUNCTION(PGconn *_Nullable, PQconnectStartParams, const char *_Nullable const *_Nonnull keywords, \
             const char *_Nullable const *_Nonnull values, int expandsName) \
    FUNCTION(PGconn *_Nullable, PQconnectdbParams, const char *_Nullable const *_Nonnull keywords, \
             const char *_Nullable const *_Nonnull values, int expandsName) \
    FUNCTION(void, PQreset, PGconn *connection) \
    FUNCTION(void, PQfinish, PGconn *connection) \
    FUNCTION(PQconninfoOption *_Nullable, PQconninfo, PGconn *connection) \
    FUNCTION(void, PQconninfoFree, PQconninfoOption *options) \
    FUNCTION(int, PQstatus, const PGconn *connection) \
    FUNCTION(int, PQtransactionStatus, const PGconn *connection) \
    FUNCTION(int, PQserverVersion, const PGconn *connection) \
    FUNCTION(int, PQbackendPID, const PGconn *connection) \
    FUNCTION(int, PQsocket, const PGconn *connection) \
    FUNCTION(int, PQsslInUse, PGconn *connection) \
    FUNCTION(int, PQconnectionNeedsPassword, const PGconn *connection) \
    FUNCTION(char *_Nullable, PQpass, const PGconn *connection) \
    FUNCTION(char *_Nullable, PQerrorMessage, const PGconn *connection) \
    FUNCTION(int, PQsetErrorVerbosity, PGconn *connection, int verbosity) \
    FUNCTION(PQnoticeReceiver _Nullable, PQsetNoticeReceiver, PGconn *connection, PQnoticeReceiver _Nullable receiver, \
             void *_Nullable argument) \
    FUNCTION(int, PQsetnonblocking, PGconn *connection, int isNonblocking) \
    FUNCTION(int, PQsendQuery, PGconn *connection, const char *statements) \
    FUNCTION(int, PQsendQueryParams, PGconn *connection, const char *statement, int count, const unsigned *_Nullable types, \
             const char *_Nullable const *_Nullable values, const int *_Nullable lengths, const int *_Nullable formats, \
             int resultFormat) \
    FUNCTION(int, PQflush, PGconn *connection) \
    FUNCTION(int, PQconsumeInput, PGconn *connection) \
    FUNCTION(int, PQisBusy, PGconn *connection) \
    FUNCTION(PGresult *_Nullable, PQgetResult, PGconn *connection) \
    FUNCTION(int, PQputCopyData, PGconn *connection, const char *bytes, int count) \
    FUNCTION(int, PQputCopyEnd, PGconn *connection, const char *_Nullable reason) \
    FUNCTION(int, PQresultStatus, const PGresult *result) \
    FUNCTION(char *_Nullable, PQresultErrorMessage, const PGresult *result) \
    FUNCTION(char *_Nullable, PQresultErrorField, const PGresult *result, int field) \
    FUNCTION(int, PQntuples, const PGresult *result) \
    FUNCTION(int, PQnfields, const PGresult *result) \
    FUNCTION(char *_Nullable, PQfname, const PGresult *result, int column) \
    FUNCTION(unsigned, PQftype, const PGresult *result, int column) \
    FUNCTION(int, PQfformat, const PGresult *result, int column) \
    FUNCTION(char *_Nullable, PQgetvalue, const PGresult *result, int row, int column) \
    FUNCTION(int, PQgetlength, const PGresult *result, int row, int column) \
    FUNCTION(int, PQgetisnull, const PGresult *result, int row, int column) \
    FUNCTION(char *_Nullable, PQcmdTuples, PGresult *result) \
    FUNCTION(void, PQclear, PGresult *result) \
    FUNCTION(PGcancel *_Nullable, PQgetCancel, PGconn *connection) \
    FUNCTION(int, PQcancel, PGcancel *cancel, char *reason, int size) \
    FUNCTION(void, PQfreeCancel, PGcancel *cancel)

#define GARNER_LIBPQ_POINTER(result, name, ...) result (*_Nonnull name)(__VA_ARGS__);
typedef struct {
    GARNER_LIBPQ(GARNER_LIBPQ_POINTER)
} GarnerLibPQ;
#undef GARNER_LIBPQ_POINTER

// Loads a library, such as "libpq.so.5", and finds all functions in it. The functions stay valid as long as the process runs.
//
// Returns NULL if there is no such library, or if it lacks a function. `*missing` is then the function's name, or NULL.
const GarnerLibPQ *_Nullable garner_libpq_load(const char *library, const char *_Nullable *_Nonnull missing);

enum {
    GARNER_CONNECTION_OK = 0,

    GARNER_TRANSACTION_IDLE = 0,
    GARNER_TRANSACTION_ACTIVE = 1,
    GARNER_TRANSACTION_OPEN = 2,
    GARNER_TRANSACTION_FAILED = 3,

    GARNER_RESULT_EMPTY_QUERY = 0,
    GARNER_RESULT_COMMAND_OK = 1,
    GARNER_RESULT_TUPLES_OK = 2,
    GARNER_RESULT_COPY_OUT = 3,
    GARNER_RESULT_COPY_IN = 4,
    GARNER_RESULT_COPY_BOTH = 8,

    GARNER_ERRORS_VERBOSE = 2,

    GARNER_FIELD_SQLSTATE = 'C',
    GARNER_FIELD_MESSAGE = 'M',
    GARNER_FIELD_HINT = 'H',
    GARNER_FIELD_SCHEMA = 's',
    GARNER_FIELD_TABLE = 't',
    GARNER_FIELD_COLUMN = 'c',
    GARNER_FIELD_CONSTRAINT = 'n',
};

#pragma clang assume_nonnull end
