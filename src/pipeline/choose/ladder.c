/* Task: the rule of every search whose candidates have an order of preference. */
#include "ladder.h"

#include <stdio.h>
#include <string.h>
#include "allocation.h"

dps_rung *dps_ladder_add(dps_ladder *ladder, dps_error *err)
{
    const size_t length = dps_score_length(ladder->folds);
    dps_rung *rung = &ladder->rung[ladder->count];
    *rung = (dps_rung){.score = dps_alloc(length, sizeof *rung->score)};
    if (rung->score == NULL) {
        (void)!dps_out_of_memory(err, length, sizeof *rung->score, "the scores of a setting");
        return NULL;
    }
    ladder->count++;
    return rung;
}

void dps_ladder_drop(dps_ladder *ladder, dps_rung *rung)
{
    if (rung != NULL) {
        dps_free(rung->score);
        *rung = (dps_rung){0};
        ladder->count--;
    }
}

int32_t dps_ladder_best(const dps_ladder *ladder, int32_t count)
{
    int32_t best = 0;
    for (int32_t j = 1; j < count; j++) {
        if (dps_metric_better(ladder->metric, ladder->rung[j].spread.mean,
                              ladder->rung[best].spread.mean)) {
            best = j;
        }
    }
    return best;
}

bool dps_ladder_as_good(const dps_ladder *ladder, int32_t a, int32_t b)
{
    return dps_within_one_error(ladder->metric, ladder->rung[a].score, ladder->rung[b].score,
                                ladder->folds);
}

bool dps_ladder_level(const dps_ladder *ladder, int32_t patience)
{
    const int32_t before = ladder->count - patience;
    if (before < 1) {
        return false;
    }
    const int32_t best = dps_ladder_best(ladder, before);
    for (int32_t j = before; j < ladder->count; j++) {
        if (!dps_ladder_as_good(ladder, best, j)) {
            return false;
        }
    }
    return true;
}

int32_t dps_ladder_choose(dps_ladder *ladder)
{
    const int32_t best = dps_ladder_best(ladder, ladder->count);
    int32_t chosen = 0;
    while (chosen < best && !dps_ladder_as_good(ladder, chosen, best)) {
        chosen++;
    }
    ladder->rung[best].best = true;
    ladder->rung[chosen].chosen = true;
    return chosen;
}

void dps_ladder_how(int32_t folds, char *out, size_t size)
{
    if (folds > 1) {
        snprintf(out, size, "%ld-fold cross-validation", (long)folds);
    } else {
        snprintf(out, size, "held-out rows");
    }
}

void dps_ladder_release(dps_ladder *ladder)
{
    for (int32_t j = 0; j < ladder->count; j++) {
        dps_free(ladder->rung[j].score);
    }
    memset(ladder, 0, sizeof *ladder);
}
