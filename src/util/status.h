/* Errors of the user or the environment: one status code and one record, filled where the fault is
 * found and passed up unchanged. Programmer mistakes are asserts; numerical outcomes are part of a
 * solver's result (solver/solver.h). Nothing below src/cli prints or exits. */
#ifndef DPS_STATUS_H
#define DPS_STATUS_H

#include <stdint.h>
#include <stddef.h>

#define DPS_MUST_USE __attribute__((warn_unused_result))
/* Of a parameter that only others of the kind need. */
#define DPS_UNUSED                   __attribute__((unused))
#define DPS_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))

typedef enum dps_status {
    DPS_OK = 0,
    DPS_ERROR_IO,      /* a file or device: exit code 1 */
    DPS_ERROR_MEMORY,  /* memory or a resource limit: exit code 1 */
    DPS_ERROR_CONFIG,  /* command line, INI, options that do not go together: exit code 2 */
    DPS_ERROR_DATA,    /* the content of an input file, data or model: exit code 3 */
    DPS_ERROR_NUMERIC, /* arithmetic failed: exit code 4 */
    DPS_ERROR_STOPPED, /* a signal ended the work: exit code 130 or 143 */
    DPS_ERROR_PAUSED,  /* the same, and the next run goes on from a checkpoint: exit code 75 */
    DPS_ERROR_CLOSED   /* who reads the output has gone away: no message, exit code 141 */
} dps_status;

/* line and column count from 1; 0 = does not apply. text says what was expected, what was found
 * and what to change, in one line without control characters. */
typedef struct dps_error {
    dps_status status;
    char file[1024];
    int64_t line;
    int64_t column;
    char text[1024];
} dps_error;

/* Fills `err` (which may be NULL) and returns `status`, so that a function can end with
 * `return dps_error_set(err, ...)`. Bytes outside printable text are escaped. */
DPS_MUST_USE dps_status dps_error_set(dps_error *err, dps_status status, const char *format, ...)
    DPS_PRINTF(3, 4);

/* The same with a place. `file` may be NULL. */
DPS_MUST_USE dps_status dps_error_at(dps_error *err, dps_status status, const char *file,
                                     int64_t line, int64_t column, const char *format, ...)
    DPS_PRINTF(6, 7);

/* Hands an error on to the caller: for functions that have nothing to release at this place. One
 * that must release is split in two, an inner one that tries and an outer one that releases, or
 * makes its steps with DPS_THEN. A step of all ranks is never tried before they agreed on it. */
#define DPS_TRY(step)                                                                              \
    do {                                                                                           \
        const dps_status tried_ = (step);                                                          \
        if (tried_ != DPS_OK) {                                                                    \
            return tried_;                                                                         \
        }                                                                                          \
    } while (0)

/* The next of several steps, made while all went well: before what must be released, or agreed on
 * by all ranks, in any case. */
#define DPS_THEN(status, step)                                                                     \
    do {                                                                                           \
        if ((status) == DPS_OK) {                                                                  \
            (status) = (step);                                                                     \
        }                                                                                          \
    } while (0)

/* "file:line:column: text", without the parts that do not apply, always terminated. */
void dps_error_format(const dps_error *err, char *buffer, size_t size);

/* Copies at most `max` bytes of `token` into `out` (size >= 4 * max + 4), escaping what is not
 * printable ASCII or valid-looking UTF-8 and ending in "..." when cut: for quoting user input.
 * Returns `out`. */
char *dps_quote_token(char *out, size_t size, const char *token, size_t length, size_t max);

/* The same into a buffer of the block that this stands in. */
#define DPS_QUOTE(token, length, max)                                                              \
    dps_quote_token((char[(max)*4 + 4]){0}, 4 * (max) + 4, (token), (length), (max))

#endif
