/* Task: write the wanted parts of a template. Cost: a pass over its lines. */
#include "c_template.h"

#include <string.h>

static bool has_tag(const dps_c_template *template, const char *word, size_t length)
{
    for (const char *const *tag = template->tag; *tag != NULL; tag++) {
        if (strlen(*tag) == length && memcmp(*tag, word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* condition .. end: alternatives of tags that must hold together. */
static bool holds(const dps_c_template *template, const char *condition, const char *end)
{
    bool all = true;
    for (const char *at = condition; at < end;) {
        const bool negated = *at == '!';
        at += negated;
        const char *word = at;
        while (at < end && *at != '|' && *at != '&') {
            at++;
        }
        all = all && has_tag(template, word, (size_t)(at - word)) != negated;
        if (at < end && *at++ == '|') {
            if (all) {
                return true;
            }
            all = true;
        }
    }
    return all;
}

/* A line with its end, the user's name put in. */
static void add_line(const dps_c_template *template, const char *line, const char *end,
                     dps_text *out)
{
    static const char token[] = "NAME";
    const size_t length = sizeof token - 1;
    const char *from = line;
    for (const char *at = line; at + length <= end; at++) {
        if (memcmp(at, token, length) == 0) {
            dps_text_append(out, from, (size_t)(at - from));
            dps_text_add(out, template->name);
            from = at + length;
            at = from - 1;
        }
    }
    dps_text_append(out, from, (size_t)(end - from));
}

void dps_c_template_write(const dps_c_template *template, dps_text *out)
{
    bool wanted = true;
    for (const char *line = template->text; *line != '\0';) {
        const char *end = line + strcspn(line, "\n");
        if (strncmp(line, "@@", 2) == 0) {
            const char *condition = line + 2 + strspn(line + 2, " ");
            wanted = holds(template, condition, end);
        } else if (*line == '@' && wanted) {
            template->insert(template->context, line + 1, (size_t)(end - line - 1), out);
        } else if (wanted) {
            add_line(template, line, end + (*end == '\n'), out);
        }
        line = end + (*end == '\n');
    }
}
