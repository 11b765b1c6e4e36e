/* The description as bytes: fields one behind the other, integers of 8 bytes in the machine's
 * order, texts as their length and their bytes. Reading checks every length against what is left,
 * before anything is allocated from it; the checksum is the caller's. */
#include "cache_format.h"

#include <stdio.h>
#include <string.h>

#include "allocation.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void put(dps_text *out, int64_t value)
{
    dps_text_append(out, (const char *)&value, sizeof value);
}

static void put_bytes(dps_text *out, const char *bytes, size_t length)
{
    put(out, (int64_t)length);
    dps_text_append(out, bytes, length);
}

static void put_text(dps_text *out, const char *text)
{
    put(out, text == NULL ? -1 : (int64_t)strlen(text));
    if (text != NULL) {
        dps_text_append(out, text, strlen(text));
    }
}

static void put_identity(dps_text *out, const dps_cache_identity *identity)
{
    put_bytes(out, identity->options.data, identity->options.length);
    put(out, identity->taken);
    put(out, identity->files);
    for (int32_t f = 0; f < identity->files; f++) {
        const dps_cache_file *file = &identity->file[f];
        put(out, file->size);
        put(out, file->modified);
        put(out, file->changed);
        put(out, (int64_t)file->number);
        put(out, (int64_t)file->hash);
    }
}

static void put_table(dps_text *out, const dps_table *table)
{
    put(out, table->count);
    put(out, table->header);
    put(out, table->missing_allowed);
    put_text(out, table->missing_words);
    for (int32_t c = 0; c < table->count; c++) {
        const dps_column *column = &table->column[c];
        put_text(out, column->name);
        put(out, column->role);
        put(out, column->first);
        dps_text_append(out, (const char *)&column->fill, sizeof column->fill);
        put(out, column->rest);
        put(out, column->form.decimal);
        put(out, column->form.group);
        put(out, column->form.unit);
        put(out, column->value.count);
        for (int32_t k = 0; k < column->value.count; k++) {
            put_text(out, column->value.text[k]);
            dps_text_append(out, (const char *)&column->value.number[k], sizeof(double));
        }
    }
}

void dps_cache_describe(const dps_cache_content *content, dps_text *out)
{
    put_identity(out, &content->identity);
    put(out, content->weights);
    put(out, content->label_guessed);
    put_text(out, content->note);
    put_text(out, content->label);
    put_text(out, content->notes);
    put(out, content->qid_seen);
    put(out, content->repeats);
    put(out, content->unknown_texts);
    put(out, content->text_bytes);
    put_table(out, &content->table);
    put(out, content->blocks);
    for (int64_t b = 0; b < content->blocks; b++) {
        const dps_cache_block *block = &content->block[b];
        put(out, block->shape.rows);
        put(out, (int64_t)block->shape.entries);
        put(out, block->shape.labels);
        put(out, (int64_t)block->shape.label_bytes);
        put(out, block->lines);
        put(out, block->first_line);
        put(out, block->file_index);
        put(out, (int64_t)block->at);
        put(out, (int64_t)block->bytes);
        put(out, (int64_t)block->checksum);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
    const char *at;
    size_t left;
    bool ok; /* false: everything read from then on is 0 */
} reader;

static void take(reader *r, void *to, size_t size)
{
    r->ok = r->ok && r->left >= size;
    if (!r->ok) {
        memset(to, 0, size);
        return;
    }
    memcpy(to, r->at, size);
    r->at += size;
    r->left -= size;
}

/* An integer from low to high. */
static int64_t get(reader *r, int64_t low, int64_t high)
{
    int64_t value;
    take(r, &value, sizeof value);
    r->ok = r->ok && value >= low && value <= high;
    return r->ok ? value : 0;
}

static int64_t get_any(reader *r)
{
    return get(r, INT64_MIN, INT64_MAX);
}

/* How many items follow, each of at least `size` bytes. */
static int64_t get_count(reader *r, size_t size)
{
    const int64_t count = get(r, 0, INT32_MAX);
    r->ok = r->ok && (size_t)count <= r->left / size;
    return r->ok ? count : 0;
}

/* A text, or NULL. */
static char *get_text(reader *r)
{
    const int64_t length = get(r, -1, (int64_t)r->left);
    if (!r->ok || length < 0) {
        return NULL;
    }
    char *text = dps_alloc((size_t)length + 1, 1);
    r->ok = text != NULL;
    if (text != NULL) {
        take(r, text, (size_t)length);
    }
    return text;
}

static void get_short_text(reader *r, char *buffer, size_t size)
{
    char *text = get_text(r);
    snprintf(buffer, size, "%s", text == NULL ? "" : text);
    dps_free(text);
}

static void get_identity(reader *r, dps_cache_identity *identity)
{
    char *options = get_text(r);
    dps_text_add(&identity->options, options == NULL ? "" : options);
    dps_free(options);
    identity->taken = get_any(r);
    const int64_t files = get_count(r, 5 * sizeof(int64_t));
    identity->file = dps_alloc((size_t)files, sizeof *identity->file);
    r->ok = r->ok && identity->file != NULL && !identity->options.failed;
    for (int64_t f = 0; f < files && r->ok; f++) {
        dps_cache_file *file = &identity->file[f];
        file->size = get(r, 0, INT64_MAX);
        file->modified = get_any(r);
        file->changed = get_any(r);
        file->number = (uint64_t)get_any(r);
        file->hash = (uint64_t)get_any(r);
        file->hashed = true;
        identity->files = (int32_t)f + 1;
    }
}

static void get_values(reader *r, dps_class_table *value)
{
    const int64_t count = get_count(r, 2 * sizeof(int64_t));
    if (!r->ok || count == 0) {
        return;
    }
    value->text = dps_alloc((size_t)count, sizeof *value->text);
    value->number = dps_alloc((size_t)count, sizeof *value->number);
    value->rows = dps_alloc((size_t)count, sizeof *value->rows);
    r->ok = value->text != NULL && value->number != NULL && value->rows != NULL;
    for (int64_t k = 0; k < count && r->ok; k++) {
        value->text[k] = get_text(r);
        r->ok = r->ok && value->text[k] != NULL;
        value->count = value->text[k] != NULL ? (int32_t)k + 1 : value->count;
        take(r, &value->number[k], sizeof value->number[k]);
    }
}

static void get_table(reader *r, dps_table *table)
{
    const int64_t count = get_count(r, 5 * sizeof(int64_t));
    table->header = get(r, 0, 1) == 1;
    table->missing_allowed = get(r, 0, 1) == 1;
    table->missing_words = get_text(r);
    if (!r->ok || count == 0) {
        return;
    }
    table->column = dps_alloc((size_t)count, sizeof *table->column);
    r->ok = table->column != NULL;
    for (int64_t c = 0; c < count && r->ok; c++) {
        dps_column *column = &table->column[c];
        table->count = (int32_t)c + 1;
        column->name = get_text(r);
        column->role = (dps_column_role)get(r, DPS_COLUMN_NUMBER, DPS_COLUMN_IGNORED);
        column->first = (int32_t)get(r, 0, INT32_MAX);
        take(r, &column->fill, sizeof column->fill);
        column->rest = get(r, 0, 1) == 1;
        column->form.decimal = (char)get(r, 0, 127);
        column->form.group = (char)get(r, 0, 127);
        column->form.unit = (char)get(r, 0, 127);
        get_values(r, &column->value);
    }
}

static void get_block(reader *r, const dps_cache_content *content, uint64_t rows_end,
                      dps_cache_block *block)
{
    const int64_t most = (int64_t)rows_end; /* no array is longer than the file */
    dps_raw_block none;
    block->shape = (dps_raw_shape){.rows = get(r, 0, most), .weights = content->weights};
    block->shape.entries = (size_t)get(r, 0, most);
    block->shape.labels = (int32_t)get(r, 0, INT32_MAX);
    block->shape.label_bytes = (size_t)get(r, 0, INT32_MAX);
    block->lines = get(r, -1, INT64_MAX);
    block->first_line = get(r, 0, INT64_MAX);
    block->file_index = (int32_t)get(r, 0, content->identity.files - 1);
    block->at = (uint64_t)get(r, sizeof(dps_cache_head), most);
    block->bytes = (uint64_t)get(r, 0, most);
    block->checksum = (uint64_t)get_any(r);
    r->ok = r->ok && block->bytes <= rows_end - block->at &&
            block->bytes == dps_raw_lay_out(&block->shape, NULL, &none);
}

bool dps_cache_understand(const char *bytes, size_t length, uint64_t rows_end,
                          dps_cache_content *content)
{
    reader r = {.at = bytes, .left = length, .ok = rows_end <= INT64_MAX / 64};
    memset(content, 0, sizeof *content);
    get_identity(&r, &content->identity);
    content->weights = get(&r, 0, 1) == 1;
    content->label_guessed = get(&r, 0, 1) == 1;
    get_short_text(&r, content->note, sizeof content->note);
    get_short_text(&r, content->label, sizeof content->label);
    content->notes = get_text(&r);
    content->qid_seen = get(&r, 0, INT64_MAX);
    content->repeats = get(&r, 0, INT64_MAX);
    content->unknown_texts = get(&r, 0, INT64_MAX);
    content->text_bytes = get(&r, 0, INT64_MAX);
    get_table(&r, &content->table);
    const int64_t blocks = get_count(&r, 10 * sizeof(int64_t));
    content->block = dps_alloc((size_t)blocks, sizeof *content->block);
    r.ok = r.ok && content->block != NULL;
    for (int64_t b = 0; b < blocks && r.ok; b++) {
        get_block(&r, content, rows_end, &content->block[b]);
        content->blocks = b + 1;
    }
    if (!r.ok || r.left > 0) {
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
