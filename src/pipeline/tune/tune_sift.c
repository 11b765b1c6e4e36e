/* Task: which settings of a grid are worth measuring, before anything is read. A grid over several
 * kernels crosses options that do not go together (kernel.type = polynomial with map.type =
 * fourier), and repeats a kernel for every value of an option that it does not have (linear for
 * every kernel.degree). What depends on C only is one chain and is looked at once. */
#include "tune_sift.h"

#include <stdlib.h>
#include <string.h>
#include "allocation.h"
#include "checksum.h"
#include "settings.h"
#include "unused_options.h"

enum { REASONS = 8 };

typedef struct sifting {
    dps_tune_space *space;
    uint64_t *key; /* of a point: the searched options that have an effect, C left out */
    struct {
        char text[sizeof(((dps_error *)0)->text)];
        int64_t point, count;
    } reason[REASONS];
    int reasons;
    int64_t others;
} sifting;

static dps_status key_of(const dps_tune_space *space, const dps_options *options,
                         const dps_settings *settings, uint64_t *key, dps_error *err)
{
    bool unused[DPS_OPTION_COUNT];
    dps_text text = {0};
    dps_find_unused(options, settings, unused);
    for (size_t i = 0; i < space->items; i++) {
        const dps_option_id id = space->item[i]->id;
        if (!unused[id] && id != DPS_OPT_solver_C) {
            dps_options_value(options, id, &text); /* 1.0 is 1 */
            dps_text_add(&text, "\n");
        }
    }
    *key = text.failed || text.length == 0 ? 0 : dps_checksum_of(text.data, text.length);
    const dps_status status =
        text.failed ? dps_out_of_memory(err, text.length, 1, "a setting's text") : DPS_OK;
    dps_text_release(&text);
    return status;
}

/* Whether the chain's options go together; its key. */
static dps_status look_at(sifting *s, int64_t p, dps_error *err)
{
    dps_options options;
    dps_settings settings;
    DPS_TRY(dps_tune_point_options(s->space, &s->space->point[p], &options, err));
    dps_status status = dps_settings_read(&options, &settings, err);
    DPS_THEN(status, dps_settings_refuse_of_training(&options, &settings, "tune", err));
    DPS_THEN(status, key_of(s->space, &options, &settings, &s->key[p], err));
    dps_options_release(&options);
    return status;
}

static void note_reason(sifting *s, int64_t p, int64_t count, const dps_error *reason)
{
    for (int k = 0; k < s->reasons; k++) {
        if (strcmp(s->reason[k].text, reason->text) == 0) {
            s->reason[k].count += count;
            return;
        }
    }
    if (s->reasons < REASONS) {
        memcpy(s->reason[s->reasons].text, reason->text, sizeof reason->text);
        s->reason[s->reasons].point = p;
        s->reason[s->reasons++].count = count;
    } else {
        s->others += count;
    }
}

typedef struct twin {
    uint64_t key;
    double C;
    int64_t point;
} twin;

static int by_twin(const void *a, const void *b)
{
    const twin *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->C != y->C ? (x->C < y->C ? -1 : 1) : (x->point > y->point) - (x->point < y->point);
}

/* Of points with the same key and C the first one stays. */
static dps_status mark_repeats(sifting *s, dps_error *err)
{
    dps_tune_space *space = s->space;
    twin *all;
    int64_t count = 0;
    DPS_NEED(all, (size_t)space->count, "the settings", err);
    for (int64_t p = 0; p < space->count; p++) {
        if (!space->point[p].left_out) {
            all[count++] = (twin){s->key[p], space->point[p].C, p};
        }
    }
    qsort(all, (size_t)count, sizeof *all, by_twin);
    for (int64_t k = 1; k < count; k++) {
        if (all[k].key == all[k - 1].key && all[k].C == all[k - 1].C) {
            space->point[all[k].point].repeats = space->point[all[k].point].failed = true;
            space->repeats++;
        }
    }
    dps_free(all);
    return DPS_OK;
}

static void say(const sifting *s, const dps_run *run)
{
    const dps_tune_space *space = s->space;
    for (int k = 0; k < s->reasons; k++) {
        dps_text text = {0};
        dps_tune_point_text(space, &space->point[s->reason[k].point], &text);
        dps_log_text(run, DPS_WARNING, "left out: %s: %s (%lld of %lld settings)",
                     text.length == 0 || text.failed ? "" : text.data, s->reason[k].text,
                     (long long)s->reason[k].count, (long long)space->count);
        dps_text_release(&text);
    }
    if (s->others > 0) {
        dps_log_text(run, DPS_WARNING, "left out for other reasons: %lld settings",
                     (long long)s->others);
    }
    if (space->repeats > 0) {
        dps_log_text(run, DPS_NORMAL,
                     "tune: %lld of %lld settings repeat others, but for options without effect "
                     "there, and are measured once",
                     (long long)space->repeats, (long long)space->count);
    }
}

/* Points first .. end share everything but C. */
static dps_status sift_chain(sifting *s, int64_t first, int64_t end, dps_error *err)
{
    dps_tune_space *space = s->space;
    dps_error reason = {.status = DPS_OK};
    const dps_status status = look_at(s, first, &reason);
    if (status != DPS_OK && status != DPS_ERROR_CONFIG) {
        if (err != NULL) {
            *err = reason;
        }
        return status;
    }
    if (status != DPS_OK) {
        note_reason(s, first, end - first, &reason);
    }
    for (int64_t p = first; p < end; p++) {
        dps_tune_point *point = &space->point[p];
        s->key[p] = s->key[first];
        point->left_out = status != DPS_OK;
        point->failed = point->left_out;
        space->left_out += point->left_out;
    }
    return DPS_OK;
}

dps_status dps_tune_sift(dps_tune_space *space, const dps_run *run, const dps_tune_point **first,
                         dps_error *err)
{
    sifting s = {.space = space};
    dps_status status = DPS_OK;
    DPS_NEED(s.key, (size_t)space->count, "the settings", err);
    for (int64_t p = 0; p < space->count && status == DPS_OK;) {
        const int64_t end = dps_tune_chain_end(space, p);
        status = sift_chain(&s, p, end, err);
        p = end;
    }
    DPS_THEN(status, mark_repeats(&s, err));
    *first = NULL;
    for (int64_t p = space->count - 1; p >= 0 && status == DPS_OK; p--) {
        *first = dps_tune_takes_part(&space->point[p]) ? &space->point[p] : *first;
    }
    if (status == DPS_OK && *first == NULL) {
        dps_text text = {0};
        dps_tune_point_text(space, &space->point[s.reason[0].point], &text);
        status = text.length == 0
                     ? dps_error_set(err, DPS_ERROR_CONFIG, "%s", s.reason[0].text)
                     : dps_error_set(err, DPS_ERROR_CONFIG, "%s (in the setting %s%s)",
                                     s.reason[0].text, text.data,
                                     space->count > 1 ? ", and none of the others works" : "");
        dps_text_release(&text);
    } else if (status == DPS_OK) {
        say(&s, run);
    }
    dps_free(s.key);
    return status;
}
