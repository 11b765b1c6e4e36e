/* Task: one set of classes from those that each rank has met. Every rank adds the texts of all in
 * rank order, so that all number them alike. */
#include "class_join.h"

#include <string.h>
#include "allocation.h"

/* The texts one behind the other, each with its end; NULL: no memory. */
static char *join_texts(const dps_class_builder *builder, size_t *length)
{
    *length = 0;
    for (int32_t k = 0; k < builder->count; k++) {
        *length += strlen(builder->text[k]) + 1;
    }
    char *texts = dps_alloc(*length, 1), *at = texts;
    for (int32_t k = 0; k < builder->count && texts != NULL; k++) {
        const size_t size = strlen(builder->text[k]) + 1;
        memcpy(at, builder->text[k], size);
        at += size;
    }
    return texts;
}

/* Adds the texts of all ranks; sets `number` for those of bytes [mine, mine_end). */
static bool add_texts(dps_class_builder *joined, const char *texts, size_t length, size_t mine,
                      size_t mine_end, int32_t *number)
{
    for (size_t at = 0; at < length;) {
        const size_t size = strlen(texts + at);
        const int32_t class = dps_class_builder_add(joined, texts + at, size);
        if (class < 0) {
            return false;
        }
        if (at >= mine && at < mine_end) {
            *number++ = class;
        }
        at += size + 1;
    }
    return true;
}

dps_status dps_class_builder_join(dps_class_builder *builder, const dps_comm *comm,
                                  int32_t **number, dps_error *err)
{
    const size_t count = (size_t)builder->count, ranks = (size_t)dps_comm_size(comm);
    const size_t me = (size_t)dps_comm_rank(comm);
    dps_class_builder joined = {0};
    size_t length = 0;
    char *all = NULL;
    *number = NULL;
    if (comm == NULL) {
        return DPS_OK;
    }
    char *texts = join_texts(builder, &length);
    size_t *begin = dps_alloc(ranks + 1, sizeof *begin);
    *number = dps_alloc(count, sizeof **number);
    dps_status status = texts != NULL && begin != NULL && *number != NULL
                            ? DPS_OK
                            : dps_out_of_memory(err, length, 1, "classes");
    status = dps_comm_agree(comm, status, err);
    DPS_THEN(status, dps_comm_gather(comm, texts, length, &all, begin, err));
    if (status == DPS_OK &&
        !add_texts(&joined, all, begin[ranks], begin[me], begin[me + 1], *number)) {
        status = dps_out_of_memory(err, begin[ranks], 1, "classes");
    }
    if (status == DPS_OK) {
        dps_class_builder_release(builder);
        *builder = joined;
    } else {
        dps_class_builder_release(&joined);
        dps_free(*number);
        *number = NULL;
    }
    dps_free(all);
    dps_free(begin);
    dps_free(texts);
    return status;
}
