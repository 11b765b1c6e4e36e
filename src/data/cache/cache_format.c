/* The description as bytes: fields one behind the other, integers of 8 bytes in the machine's
 * order, texts as their length and their bytes. One walk over the fields writes and reads them, so
 * that both have the same order. Reading checks every length against what is left, before anything
 * is allocated from it; the checksum is the caller's. */
#include "cache_format.h"

#include <stdio.h>
#include <string.h>

#include "allocation.h"

/* ---- a field --------------------------------------------------------------------------------- */

typedef struct walk {
    dps_text *out; /* writing: where to; fields stay as they are. NULL: reading */
    const char *at;
    size_t left;
    bool ok; /* false: everything read from then on is 0 */
} walk;

static void bytes(walk *w, void *field, size_t size)
{
    if (w->out != NULL) {
        dps_text_append(w->out, field, size);
        return;
    }
    w->ok = w->ok && w->left >= size;
    if (!w->ok) {
        memset(field, 0, size);
        return;
    }
    memcpy(field, w->at, size);
    w->at += size;
    w->left -= size;
}

/* An integer; what is read must be from low to high. */
static int64_t integer(walk *w, int64_t value, int64_t low, int64_t high)
{
    bytes(w, &value, sizeof value);
    w->ok = w->ok && (w->out != NULL || (value >= low && value <= high));
    return w->ok ? value : 0;
}

static int64_t any(walk *w, int64_t value)
{
    return integer(w, value, INT64_MIN, INT64_MAX);
}

static bool flag(walk *w, bool value)
{
    return integer(w, value, 0, 1) == 1;
}

/* How many items follow, each of at least `size` bytes. */
static int64_t count(walk *w, int64_t items, size_t size)
{
    items = integer(w, items, 0, INT32_MAX);
    w->ok = w->ok && (w->out != NULL || (size_t)items <= w->left / size);
    return w->ok ? items : 0;
}

/* Where the items are; reading: room for them. */
static void *room(walk *w, void *items, int64_t number, size_t size)
{
    if (w->out == NULL) {
        items = dps_alloc((size_t)number, size);
        w->ok = w->ok && items != NULL;
    }
    return items;
}

/* A text, or NULL. */
static char *text(walk *w, char *value)
{
    const int64_t own = value == NULL ? -1 : (int64_t)strlen(value);
    const int64_t length = integer(w, own, -1, (int64_t)w->left);
    if (!w->ok || length < 0) {
        return NULL;
    }
    value = room(w, value, length + 1, 1);
    if (value != NULL) {
        bytes(w, value, (size_t)length);
    }
    return value;
}

static void short_text(walk *w, char *buffer, size_t size)
{
    char *value = text(w, buffer);
    if (w->out == NULL) {
        snprintf(buffer, size, "%s", value == NULL ? "" : value);
        dps_free(value);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void walk_identity(walk *w, dps_cache_identity *identity)
{
    char *options = text(w, identity->options.data);
    if (w->out == NULL) {
        dps_text_add(&identity->options, options == NULL ? "" : options);
        dps_free(options);
    }
    identity->taken = any(w, identity->taken);
    const int64_t files = count(w, identity->files, 5 * sizeof(int64_t));
    identity->file = room(w, identity->file, files, sizeof *identity->file);
    w->ok = w->ok && !identity->options.failed;
    for (int64_t f = 0; f < files && w->ok; f++) {
        dps_cache_file *file = &identity->file[f];
        file->size = integer(w, file->size, 0, INT64_MAX);
        file->modified = any(w, file->modified);
        file->changed = any(w, file->changed);
        file->number = (uint64_t)any(w, (int64_t)file->number);
        file->hash = (uint64_t)any(w, (int64_t)file->hash);
        file->hashed = true;
    }
    identity->files = (int32_t)files;
}

static void walk_values(walk *w, dps_class_table *value)
{
    const int64_t values = count(w, value->count, 2 * sizeof(int64_t));
    if (!w->ok || values == 0) {
        return;
    }
    value->text = room(w, value->text, values, sizeof *value->text);
    value->number = room(w, value->number, values, sizeof *value->number);
    value->rows = room(w, value->rows, values, sizeof *value->rows);
    value->count = w->ok ? (int32_t)values : 0; /* texts that are not read are NULL */
    for (int64_t k = 0; k < values && w->ok; k++) {
        value->text[k] = text(w, value->text[k]);
        w->ok = w->ok && value->text[k] != NULL;
        bytes(w, &value->number[k], sizeof value->number[k]);
    }
}

static void walk_table(walk *w, dps_table *table)
{
    const int64_t columns = count(w, table->count, 5 * sizeof(int64_t));
    table->header = flag(w, table->header);
    table->missing_allowed = flag(w, table->missing_allowed);
    table->missing_words = text(w, table->missing_words);
    if (!w->ok || columns == 0) {
        return;
    }
    table->column = room(w, table->column, columns, sizeof *table->column);
    table->count = w->ok ? (int32_t)columns : 0;
    for (int64_t c = 0; c < columns && w->ok; c++) {
        dps_column *column = &table->column[c];
        column->name = text(w, column->name);
        column->role =
            (dps_column_role)integer(w, column->role, DPS_COLUMN_NUMBER, DPS_COLUMN_IGNORED);
        column->first = (int32_t)integer(w, column->first, 0, INT32_MAX);
        bytes(w, &column->fill, sizeof column->fill);
        column->rest = flag(w, column->rest);
        column->form.decimal = (char)integer(w, column->form.decimal, 0, 127);
        column->form.group = (char)integer(w, column->form.group, 0, 127);
        column->form.unit = (char)integer(w, column->form.unit, 0, 127);
        walk_values(w, &column->value);
    }
}

static void walk_block(walk *w, const dps_cache_content *content, uint64_t rows_end,
                       dps_cache_block *block)
{
    const int64_t most = (int64_t)rows_end; /* no array is longer than the file */
    dps_raw_shape *shape = &block->shape;
    dps_raw_block none;
    shape->weights = content->weights;
    shape->rows = integer(w, shape->rows, 0, most);
    shape->entries = (size_t)integer(w, (int64_t)shape->entries, 0, most);
    shape->labels = (int32_t)integer(w, shape->labels, 0, INT32_MAX);
    shape->label_bytes = (size_t)integer(w, (int64_t)shape->label_bytes, 0, INT32_MAX);
    block->lines = integer(w, block->lines, -1, INT64_MAX);
    block->first_line = integer(w, block->first_line, 0, INT64_MAX);
    block->file_index = (int32_t)integer(w, block->file_index, 0, content->identity.files - 1);
    block->at = (uint64_t)integer(w, (int64_t)block->at, sizeof(dps_cache_head), most);
    block->bytes = (uint64_t)integer(w, (int64_t)block->bytes, 0, most);
    block->checksum = (uint64_t)any(w, (int64_t)block->checksum);
    w->ok = w->ok && (w->out != NULL || (block->bytes <= rows_end - block->at &&
                                         block->bytes == dps_raw_lay_out(shape, NULL, &none)));
}

static void walk_content(walk *w, dps_cache_content *content, uint64_t rows_end)
{
    walk_identity(w, &content->identity);
    content->weights = flag(w, content->weights);
    content->label_guessed = flag(w, content->label_guessed);
    short_text(w, content->note, sizeof content->note);
    short_text(w, content->label, sizeof content->label);
    content->notes = text(w, content->notes);
    content->qid_seen = integer(w, content->qid_seen, 0, INT64_MAX);
    content->repeats = integer(w, content->repeats, 0, INT64_MAX);
    content->unknown_texts = integer(w, content->unknown_texts, 0, INT64_MAX);
    content->text_bytes = integer(w, content->text_bytes, 0, INT64_MAX);
    walk_table(w, &content->table);
    content->blocks = count(w, content->blocks, 10 * sizeof(int64_t));
    content->block = room(w, content->block, content->blocks, sizeof *content->block);
    for (int64_t b = 0; b < content->blocks && w->ok; b++) {
        walk_block(w, content, rows_end, &content->block[b]);
    }
}

void dps_cache_describe(dps_cache_content *content, dps_text *out)
{
    walk w = {.out = out, .ok = true};
    walk_content(&w, content, INT64_MAX);
}

bool dps_cache_understand(const char *description, size_t length, uint64_t rows_end,
                          dps_cache_content *content)
{
    walk w = {.at = description, .left = length, .ok = rows_end <= INT64_MAX / 64};
    memset(content, 0, sizeof *content);
    walk_content(&w, content, rows_end);
    if (!w.ok || w.left > 0) {
        dps_cache_content_release(content);
        return false;
    }
    return true;
}

void dps_cache_content_release(dps_cache_content *content)
{
    dps_cache_identity_release(&content->identity);
    dps_table_release(&content->table);
    dps_free(content->notes);
    dps_free(content->block);
    memset(content, 0, sizeof *content);
}
