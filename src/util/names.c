/* Names beside enums. An unknown one is a programmer's mistake here, never a silent default. */
#include "names.h"

#include <assert.h>
#include <string.h>

const char *const dps_switch_names[] = {"auto", "on", "off", NULL};

const char *dps_name_of(const char *const *names, unsigned value)
{
    for (unsigned i = 0; i < value; i++) {
        assert(names[i] != NULL);
    }
    assert(names[value] != NULL);
    return names[value];
}

bool dps_name_find(const char *const *names, const char *text, size_t length, unsigned *value)
{
    for (unsigned i = 0; names[i] != NULL; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0) {
            *value = i;
            return true;
        }
    }
    return false;
}

unsigned dps_name_value(const char *const *names, const char *name)
{
    unsigned value = 0;
    const bool found = dps_name_find(names, name, strlen(name), &value);
    assert(found);
    (void)found;
    return value;
}
