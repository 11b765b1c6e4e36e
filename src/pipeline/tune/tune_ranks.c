/* Task: tune over ranks. Each rank computes its part of the units alone, as a shard does, and files
 * it in a journal of its own; at the end of a round every rank gets the results of all, so that all
 * choose alike. What a rank had to say of its settings is said by rank 0. */
#include <string.h>
#include "allocation.h"
#include "comm.h"
#include "tune_private.h"

/* One result on its way: key, count, values. */
typedef struct result_head {
    uint64_t key;
    int64_t count;
} result_head;

void dps_tune_ranks_share(dps_tune_state *t, const dps_journal_entry *entry)
{
    const result_head head = {entry->key, entry->count};
    dps_text_append(&t->shared, (const char *)&head, sizeof head);
    dps_text_append(&t->shared, (const char *)entry->value,
                    (size_t)entry->count * sizeof *entry->value);
}

static dps_status take_results(dps_tune_state *t, const char *bytes, size_t size, dps_error *err)
{
    dps_status status = DPS_OK;
    for (size_t at = 0; at < size && status == DPS_OK;) {
        result_head head;
        memcpy(&head, bytes + at, sizeof head);
        at += sizeof head;
        const size_t length = (size_t)head.count * sizeof(double);
        if (dps_journal_find(&t->journal, head.key, (int32_t)head.count) == NULL) {
            double *value;
            DPS_NEED(value, (size_t)head.count, "the results", err);
            memcpy(value, bytes + at, length);
            status = dps_journal_keep(&t->journal, head.key, value, (int32_t)head.count, err);
            dps_free(value);
        }
        at += length;
    }
    return status;
}

/* Lines that end in a newline. */
static void say_warnings(const dps_tune_state *t, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = (size_t)(end - (text + at));
        dps_log_text(t->run, DPS_WARNING, "%.*s", (int)length, text + at);
        at += length + 1;
    }
}

static dps_status gather(dps_tune_state *t, dps_text *mine, char **bytes, size_t *begin,
                         dps_error *err)
{
    dps_status status =
        mine->failed ? dps_out_of_memory(err, mine->length, 1, "the results of a round") : DPS_OK;
    status = dps_comm_agree(t->comm, status, err);
    DPS_THEN(status, dps_comm_gather(t->comm, mine->data, mine->length, bytes, begin, err));
    mine->length = 0;
    return status;
}

dps_status dps_tune_ranks_exchange(dps_tune_state *t, dps_error *err)
{
    const size_t ranks = (size_t)dps_comm_size(t->comm);
    char *results = NULL, *warnings = NULL;
    size_t *begin;
    DPS_NEED_ON_ALL(t->comm, begin, ranks + 1, "ranks", err);
    dps_status status = gather(t, &t->shared, &results, begin, err);
    if (status == DPS_OK) {
        status = take_results(t, results, begin[ranks], err);
        status = dps_comm_agree(t->comm, status, err);
    }
    DPS_THEN(status, gather(t, &t->warnings, &warnings, begin, err));
    if (status == DPS_OK) {
        say_warnings(t, warnings, begin[ranks]);
    }
    dps_free(results);
    dps_free(warnings);
    dps_free(begin);
    return status;
}
