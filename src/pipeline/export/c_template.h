/* A text with parts that are wanted or not.
 *
 *     @@ CONDITION   what follows is wanted where it holds, up to the next line of @@: tags with &
 *                    (and), | (or, which binds less) and ! (not) between them; none: always
 *     @TAG           in a wanted part, the place of a text that the caller makes
 *
 * and NAME anywhere stands for the name that the user gave. */
#ifndef DPS_C_TEMPLATE_H
#define DPS_C_TEMPLATE_H

#include <stdbool.h>
#include "text.h"

typedef struct dps_c_template {
    const char *text;
    const char *name;
    const char *const *tag; /* those that hold, NULL at the end */
    void (*insert)(void *context, const char *tag, size_t length, dps_text *out);
    void *context;
} dps_c_template;

void dps_c_template_write(const dps_c_template *template, dps_text *out);

#endif
