/* INI files. Task: a file of [section] headers and `key = value` lines into options.
 *
 *   # comment, ; comment      at the start of a line or after white space, outside quotes
 *   [section]                 may be opened again
 *   key = value               a value, or an item of a list, may stand in "..." or '...'
 *   key = first, second       lists: commas or blanks; they may continue on lines that are
 *         third               indented deeper than the key
 *
 * CRLF line ends and a UTF-8 byte order mark are accepted; relative paths are relative to the
 * folder of the file; a key given twice, an unknown key or section is an error.
 *
 * How: the file is cut into logical lines (comments, quotes, continuations, line numbers), which
 * are then set one by one, so that a fault of form comes before any of a value. Cost: one copy of
 * the file. */
#include "options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "allocation.h"
#include "file_bytes.h"
#include "option_value.h"
#include "search_values.h"

#define NAME_MAX_LENGTH 49 /* of a section or key */
#define FILE_MAX_BYTES  ((size_t)16 << 20)
#define QUOTED_MAX      60

typedef struct logical_line {
    int64_t line;
    size_t indent;
    char name[NAME_MAX_LENGTH + 1]; /* section or key */
    bool is_section;
    bool is_list;
    dps_text value;
} logical_line;

typedef struct ini_file {
    const char *path;
    char *folder;
    logical_line *item;
    size_t count, capacity;
    dps_options *options;
    dps_error *err;
} ini_file;

static dps_status fail_at(const ini_file *ini, int64_t line, size_t column, const char *text)
{
    return dps_error_at(ini->err, DPS_ERROR_CONFIG, ini->path, line, (int64_t)column, "%s", text);
}

static size_t skip_blanks(const char *text, size_t at, size_t length)
{
    while (at < length && dps_is_blank(text[at])) {
        at++;
    }
    return at;
}

/* --- cutting into logical lines --------------------------------------------------------------- */

/* Length of the content at text[from..], without comment and trailing blanks. Quotes count where a
 * value or item may begin: at its start, after a blank or a comma. */
static dps_status content_end(const ini_file *ini, const char *text, size_t from, size_t length,
                              int64_t line, size_t *end)
{
    char quote = '\0';
    size_t opened = 0, at;
    bool item_start = true;
    for (at = from; at < length; at++) {
        char c = text[at];
        if (quote != '\0') {
            if (c == quote) {
                quote = '\0';
                item_start = false;
            }
            continue;
        }
        if ((c == '#' || c == ';') && (at == 0 || dps_is_blank(text[at - 1]))) {
            break;
        }
        if ((c == '"' || c == '\'') && item_start) {
            quote = c;
            opened = at;
        }
        item_start = dps_is_blank(c) || c == ',';
    }
    if (quote != '\0') {
        return fail_at(ini, line, opened + 1,
                       "this quote is not closed on its line; close it, or put a value that holds "
                       "a quote into quotes of the other kind");
    }
    while (at > from && dps_is_blank(text[at - 1])) {
        at--;
    }
    *end = at;
    return DPS_OK;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* Length of the name at text[at..] if `key =` stands there, else 0. */
static size_t key_length(const char *text, size_t at, size_t end)
{
    size_t stop = at;
    while (stop < end && is_name_char(text[stop])) {
        stop++;
    }
    size_t equals = skip_blanks(text, stop, end);
    return equals < end && text[equals] == '=' ? stop - at : 0;
}

static dps_status add_line(ini_file *ini, int64_t line, size_t indent, bool is_section,
                           const char *name, size_t length, logical_line **added)
{
    DPS_NEED_MORE(ini->item, ini->capacity, ini->count + 1, "the INI file", ini->err);
    logical_line *item = &ini->item[ini->count++];
    memset(item, 0, sizeof *item);
    item->line = line;
    item->indent = indent;
    item->is_section = is_section;
    assert(length <= NAME_MAX_LENGTH);
    memcpy(item->name, name, length);
    *added = item;
    return DPS_OK;
}

static const char *current_section(const ini_file *ini)
{
    for (size_t i = ini->count; i > 0; i--) {
        if (ini->item[i - 1].is_section) {
            return ini->item[i - 1].name;
        }
    }
    return NULL;
}

static dps_status cut_section(ini_file *ini, const char *text, size_t at, size_t end, int64_t line)
{
    if (text[end - 1] != ']') {
        return fail_at(ini, line, at + 1, "expected a section as [solver], alone on its line");
    }
    size_t from = skip_blanks(text, at + 1, end - 1);
    size_t to = end - 1;
    while (to > from && dps_is_blank(text[to - 1])) {
        to--;
    }
    char name[NAME_MAX_LENGTH + 1] = "";
    if (to - from > NAME_MAX_LENGTH) {
        return fail_at(ini, line, from + 1, "unknown section: no name has more than 49 bytes");
    }
    memcpy(name, text + from, to - from);
    DPS_TRY(dps_options_check_section(name, ini->path, line, ini->err));
    logical_line *item;
    return add_line(ini, line, 0, true, text + from, to - from, &item);
}

static dps_status cut_key(ini_file *ini, const char *text, size_t at, size_t end, int64_t line)
{
    const char *equals = memchr(text + at, '=', end - at);
    if (equals == NULL) {
        return dps_error_at(ini->err, DPS_ERROR_CONFIG, ini->path, line, (int64_t)at + 1,
                            "expected [section] or key = value; found '%s'",
                            DPS_QUOTE(text + at, end - at, QUOTED_MAX));
    }
    size_t equals_at = (size_t)(equals - text);
    size_t stop = equals_at;
    while (stop > at && dps_is_blank(text[stop - 1])) {
        stop--;
    }
    if (current_section(ini) == NULL) {
        return fail_at(ini, line, at + 1,
                       "expected a [section] before the first key, as [data] before train = FILE");
    }
    if (stop == at) {
        return fail_at(ini, line, at + 1, "expected a key before '='");
    }
    if (stop - at > NAME_MAX_LENGTH) {
        return fail_at(ini, line, at + 1, "unknown key: no name has more than 49 bytes");
    }
    logical_line *item = NULL;
    DPS_TRY(add_line(ini, line, at, false, text + at, stop - at, &item));
    const char *section = current_section(ini);
    int id = dps_option_find(section, item->name);
    const bool searched = dps_is_search_key(section, item->name);
    if (id < 0 && !searched) { /* has no type: reported now */
        return dps_options_set(ini->options, section, item->name, "", "", ini->path, line,
                               ini->err);
    }
    item->is_list = searched || dps_value_is_list(dps_option_type_of((dps_option_id)id));
    size_t from = skip_blanks(text, equals_at + 1, end);
    dps_text_append(&item->value, text + from, end - from);
    return DPS_OK;
}

/* A line indented deeper than the key above it goes on with its list. */
static dps_status cut_continuation(ini_file *ini, const char *text, size_t at, size_t end,
                                   int64_t line)
{
    logical_line *item = &ini->item[ini->count - 1];
    char name[NAME_MAX_LENGTH + 1] = "";
    size_t length = key_length(text, at, end);
    if (length <= NAME_MAX_LENGTH) {
        memcpy(name, text + at, length);
    }
    if (!item->is_list || (length > 0 && dps_option_find(current_section(ini), name) >= 0)) {
        return dps_error_at(ini->err, DPS_ERROR_CONFIG, ini->path, line, (int64_t)at + 1,
                            "an indented line continues the list above it, here '%s' of line %lld; "
                            "start a key no deeper than that one",
                            item->name, (long long)item->line);
    }
    dps_text_append(&item->value, "\n",
                    1); /* ends an item, as a blank does not in a list of names */
    dps_text_append(&item->value, text + at, end - at);
    return DPS_OK;
}

static dps_status cut_line(ini_file *ini, const char *text, size_t length, int64_t line)
{
    size_t at = skip_blanks(text, 0, length), end = at;
    if (at == length || text[at] == '#' || text[at] == ';') {
        return DPS_OK;
    }
    bool continues = ini->count > 0 && !ini->item[ini->count - 1].is_section && text[at] != '[' &&
                     at > ini->item[ini->count - 1].indent;
    /* Quotes have no meaning before '='. */
    const char *equals = continues ? NULL : memchr(text + at, '=', length - at);
    size_t value_at = at;
    if (equals != NULL && text[at] != '[') {
        value_at = skip_blanks(text, (size_t)(equals - text) + 1, length);
    }
    DPS_TRY(content_end(ini, text, value_at, length, line, &end));
    if (text[at] == '[') {
        return cut_section(ini, text, at, end, line);
    }
    return continues ? cut_continuation(ini, text, at, end, line)
                     : cut_key(ini, text, at, end, line);
}

static dps_status cut_lines(ini_file *ini, const char *text, size_t length)
{
    static const char bom[] = "\xEF\xBB\xBF";
    dps_status status = DPS_OK;
    if (length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0)) {
        return fail_at(ini, 1, 0, "expected plain text, found UTF-16; save the file as UTF-8");
    }
    if (length >= 3 && memcmp(text, bom, 3) == 0) {
        text += 3;
        length -= 3;
    }
    for (int64_t line = 1; length > 0 && status == DPS_OK; line++) {
        const char *newline = memchr(text, '\n', length);
        size_t step = newline == NULL ? length : (size_t)(newline - text) + 1;
        size_t used = newline == NULL ? length : step - 1;
        status =
            memchr(text, '\0', used) != NULL
                ? fail_at(ini, line, 0, "expected text, found a zero byte; is this an INI file?")
                : cut_line(ini, text, used, line);
        text += step;
        length -= step;
    }
    for (size_t i = 0; i < ini->count && status == DPS_OK; i++) {
        if (ini->item[i].value.failed) {
            status = dps_error_at(ini->err, DPS_ERROR_MEMORY, ini->path, 0, 0, "no memory for it");
        }
    }
    return status;
}

static dps_status set_lines(const ini_file *ini)
{
    const char *section = "";
    for (size_t i = 0; i < ini->count; i++) {
        const logical_line *item = &ini->item[i];
        if (item->is_section) {
            section = item->name;
            continue;
        }
        const char *value = item->value.data == NULL ? "" : item->value.data;
        DPS_TRY(dps_options_set(ini->options, section, item->name, value, ini->folder, ini->path,
                                item->line, ini->err));
    }
    return DPS_OK;
}

/* --- the file --------------------------------------------------------------------------------- */

static dps_status no_memory(dps_error *err, const char *path)
{
    return dps_error_at(err, DPS_ERROR_MEMORY, path, 0, 0, "no memory for it");
}

static dps_status read_whole(const char *path, dps_text *text, dps_error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return dps_error_at(err, DPS_ERROR_IO, path, 0, 0, "cannot open this config: %s",
                            strerror(errno));
    }
    char buffer[4096];
    size_t got;
    errno = 0;
    while (text->length <= FILE_MAX_BYTES &&
           (got = dps_stream_read(file, buffer, sizeof buffer)) > 0) {
        dps_text_append(text, buffer, got);
    }
    int fault = ferror(file) ? errno : 0;
    fclose(file);
    if (fault != 0) {
        return dps_error_at(err, DPS_ERROR_IO, path, 0, 0, "cannot read this config: %s",
                            strerror(fault));
    }
    if (text->length > FILE_MAX_BYTES) {
        return dps_error_at(err, DPS_ERROR_CONFIG, path, 0, 0,
                            "expected an INI file, found more than 16 MiB; a data file goes to "
                            "data.train");
    }
    return text->failed ? no_memory(err, path) : DPS_OK;
}

/* Folder part with its slash, "" for a bare name. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strndup(path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
}

dps_status dps_options_read(dps_options *options, const char *path, dps_error *err)
{
    ini_file ini = {.path = path, .options = options, .err = err, .folder = folder_of(path)};
    dps_text text = {0};
    dps_status status = ini.folder == NULL ? no_memory(err, path) : read_whole(path, &text, err);
    DPS_THEN(status, cut_lines(&ini, text.data == NULL ? "" : text.data, text.length));
    DPS_THEN(status, set_lines(&ini));
    for (size_t i = 0; i < ini.count; i++) {
        dps_text_release(&ini.item[i].value);
    }
    dps_free(ini.item);
    dps_text_release(&text);
    free(ini.folder);
    if (status == DPS_OK) {
        free(options->config);
        options->config = strdup(path);
        status = options->config != NULL ? DPS_OK : no_memory(err, path);
    }
    return status;
}
