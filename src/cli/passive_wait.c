/* Task: OpenMP threads that have nothing to do sleep at once (OMP_WAIT_POLICY=passive) instead of
 * asking for work in a loop, in which they hold cores that others need: beside other programs two
 * such threads take several times as long as one (docs/evidence/performance.md, Busy machines).
 * OpenMP has no call for it, only the environment, and its runtimes read that at different times:
 *
 *   LLVM's and Intel's  at the first call: setting the variable in main is enough.
 *   GCC's               in a constructor, so before main, and before any constructor of ours. With
 *                       glibc only functions of the section .preinit_array run earlier. There the C
 *                       library has no environment yet: it will take the vector of strings that the
 *                       kernel made, which cannot grow. So one entry that no library's constructor
 *                       reads lends its place until main.
 *
 * Where that was not possible (no such entry; a C library without .preinit_array, as musl) a run
 * that uses threads starts itself anew with the variable set: 2 ms. The functions before main call
 * nothing, since neither the C library nor a sanitizer is ready. libdpsvm has none of this: how
 * threads wait is its host's choice. */
#define _GNU_SOURCE /* environ */
#include "passive_wait.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define NOT_INSTRUMENTED __attribute__((no_sanitize("address", "thread", "undefined")))

static char policy[] = "OMP_WAIT_POLICY=passive";

static struct {
    char **entry; /* whose place is lent, or NULL */
    char *lender;
    bool late; /* `policy` was set in main, and constructors have not seen it */
} place;

/* entry is "NAME=..." with this name. */
NOT_INSTRUMENTED static bool has_name(const char *entry, const char *name)
{
    while (*name != '\0' && *entry == *name) {
        entry++;
        name++;
    }
    return *name == '\0' && *entry == '=';
}

NOT_INSTRUMENTED static char **find_entry(char **environment, const char *name)
{
    for (char **entry = environment; *entry != NULL; entry++) {
        if (has_name(*entry, name)) {
            return entry;
        }
    }
    return NULL;
}

NOT_INSTRUMENTED static bool user_decides(char **environment)
{
    return find_entry(environment, "OMP_WAIT_POLICY") != NULL ||
           find_entry(environment, "GOMP_SPINCOUNT") != NULL ||
           find_entry(environment, "KMP_BLOCKTIME") != NULL;
}

#ifdef __GLIBC__
NOT_INSTRUMENTED static void lend_place(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    if (user_decides(environment)) {
        return;
    }
    /* written by shells, read by no constructor; the lookup of programs comes last */
    static const char names[][8] = {"_", "OLDPWD", "SHLVL", "PWD", "PATH"};
    for (size_t k = 0; k < sizeof names / sizeof names[0] && place.entry == NULL; k++) {
        place.entry = find_entry(environment, names[k]);
    }
    if (place.entry != NULL) {
        place.lender = *place.entry;
        *place.entry = policy;
    }
}

typedef void function_before_main(int argc, char **argv, char **environment);
__attribute__((section(".preinit_array"), used)) static function_before_main *const before_main =
    lend_place;
#endif

void dps_passive_wait(void)
{
    const bool seen = place.entry != NULL;
    if (seen) {
        *place.entry = place.lender;
        place.entry = NULL;
    }
    if (environ == NULL || !user_decides(environ)) {
        place.late = putenv(policy) == 0 && !seen;
    }
}

void dps_passive_wait_anew(char **argv)
{
    char path[4096];
    const ssize_t length = place.late ? readlink("/proc/self/exe", path, sizeof path - 1) : 0;
    if (length > 0) {
        path[length] = '\0';
        execv(path, argv); /* in which `policy` counts as the user's: no third start */
    }
    place.late = false; /* threads spin, as the runtime would have them */
}
