/* The table of input formats. To add one: a parser of the same form, and a row here. */
#include "row_parser.h"

#include <string.h>

#include "libsvm_parser.h"

static const dps_format formats[] = {
    {"libsvm", dps_libsvm_parse},
};

static const char *const names[] = {"libsvm", NULL};

const dps_format *dps_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

const dps_format *dps_format_detect(const char *name, const dps_chunk *first)
{
    (void)first; /* one format so far */
    return dps_format_find(strcmp(name, "auto") == 0 ? "libsvm" : name);
}

const char *const *dps_format_names(void)
{
    return names;
}
