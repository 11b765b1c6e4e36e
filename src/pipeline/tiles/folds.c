/* Task: stratified folds, splits and samples. The rows of class k are permuted by (seed, stream
 * FOLD, feature k) and dealt in turn; the next class goes on where the last one ended, so that the
 * folds are equally large too (Kohavi 1995: stratification lowers bias and variance of the
 * estimate). Cost: one permutation; 16 bytes a row while it runs. */
#include "folds.h"

#include <math.h>
#include "allocation.h"
#include "random.h"

/* Calls deal(context, row, place, rows of the class) for the rows of every class in their random
 * order. */
typedef void (*dealer)(void *context, int64_t row, int64_t place, int64_t rows);

static dps_status deal_classes(const int32_t *label, int64_t rows, int32_t classes, uint64_t seed,
                               dealer deal, void *context, dps_error *err)
{
    int64_t *member = dps_alloc((size_t)rows, sizeof *member);
    int64_t *order = dps_alloc((size_t)rows, sizeof *order);
    dps_status status = DPS_OK;
    if (member == NULL || order == NULL) {
        status = dps_out_of_memory(err, (size_t)rows, 2 * sizeof *order, "the folds");
        goto done;
    }
    for (int32_t k = 0; k < classes; k++) {
        int64_t count = 0;
        for (int64_t i = 0; i < rows; i++) {
            if (label[i] == k) {
                member[count++] = i;
            }
        }
        dps_random_permutation(seed, DPS_STREAM_FOLD, (uint32_t)k, 0, count, order);
        for (int64_t i = 0; i < count; i++) {
            deal(context, member[order[i]], i, count);
        }
    }
done:
    dps_free(member);
    dps_free(order);
    return status;
}

typedef struct round_robin {
    int32_t *fold;
    int32_t folds, next;
} round_robin;

static void deal_in_turn(void *context, int64_t row, int64_t place, int64_t rows)
{
    round_robin *r = context;
    (void)place;
    (void)rows;
    r->fold[row] = r->next;
    r->next = (r->next + 1) % r->folds;
}

dps_status dps_folds_make(const int32_t *label, int64_t rows, int32_t classes, int32_t folds,
                          uint64_t seed, int32_t *fold, dps_error *err)
{
    round_robin r = {fold, folds, 0};
    return deal_classes(label, rows, classes, seed, deal_in_turn, &r, err);
}

typedef struct split {
    int32_t *fold;
    double share;
    int64_t least; /* rows of a class, where it has as many */
} split;

static void deal_first(void *context, int64_t row, int64_t place, int64_t rows)
{
    const split *s = context;
    int64_t held = (int64_t)rint(s->share * (double)rows);
    if (rows > 1) {
        held = held < 1 ? 1 : held > rows - 1 ? rows - 1 : held;
    } else {
        held = 0;
    }
    s->fold[row] = place < held ? 0 : -1;
}

static void deal_sample(void *context, int64_t row, int64_t place, int64_t rows)
{
    const split *s = context;
    const int64_t fair = (int64_t)rint(s->share * (double)rows);
    s->fold[row] = place < (fair > s->least ? fair : s->least) ? 0 : -1;
}

dps_status dps_holdout_make(const int32_t *label, int64_t rows, int32_t classes, double share,
                            uint64_t seed, int32_t *fold, dps_error *err)
{
    split s = {fold, share, 0};
    return deal_classes(label, rows, classes, seed, deal_first, &s, err);
}

dps_status dps_sample_make(const int32_t *label, int64_t rows, int32_t classes, int64_t most,
                           uint64_t seed, int32_t *part, dps_error *err)
{
    enum { LEAST = 20, SHARE_OF_LEAST = 4 }; /* of which all classes take a fourth of `most` */
    const int64_t afforded = most / (SHARE_OF_LEAST * (int64_t)classes);
    const int64_t least = afforded < 1 ? 1 : afforded < LEAST ? afforded : LEAST;
    split s = {part, rows > most ? (double)most / (double)rows : 1, least};
    return deal_classes(label, rows, classes, seed, deal_sample, &s, err);
}
