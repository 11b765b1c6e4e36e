/* What is left to the data, over ranks: the sample, and every value and fact of a plan, are those
 * of one rank. */
#include "map_fixture.h"
#include "row_sample.h"
#include "thread_ranks.h"

typedef struct job {
    const fixture_rows *rows;
    bool dense;
    dps_map_request asked;
    dps_row_sample sample[RANKS_MOST];
    dps_map_recipe recipe[RANKS_MOST];
    dps_map_facts facts[RANKS_MOST];
    dps_status status[RANKS_MOST];
} job;

/* Tiles of the ranks: their limits fall anywhere. */
static int64_t first_row(int64_t total, int rank, int ranks)
{
    const int64_t first = dps_tile_count(total) * rank * rank / (ranks * ranks) * DPS_TILE_ROWS;
    return first < total ? first : total;
}

static void plan_on_rank(const dps_comm *comm, void *context)
{
    job *j = context;
    const int rank = dps_comm_rank(comm), ranks = dps_comm_size(comm);
    const int64_t total = j->rows->rows, first = first_row(total, rank, ranks);
    fixture_rows mine = *j->rows;
    mine.rows = (rank + 1 == ranks ? total : first_row(total, rank + 1, ranks)) - first;
    mine.dense += (size_t)first * mine.stride;
    mine.start += first;
    dps_row_source source = fixture_source(&mine, j->dense);
    source.first_row = first;
    source.total_rows = total;
    dps_run run = fixture_run(1 + rank % 2);
    run.comm = comm;
    dps_error err;
    j->status[rank] =
        dps_row_sample_init(&j->sample[rank], &source, 7, DPS_SAMPLE_ROWS, &run, &err);
    if (j->status[rank] == DPS_OK) {
        j->status[rank] = dps_map_plan(&j->asked, &source, 1.5, 1.0, j->dense, &run,
                                       &j->recipe[rank], &j->facts[rank], &err);
    }
}

static void check_same_recipe(const dps_map_recipe *a, const dps_map_recipe *b)
{
    assert_memory_equal(&a->kernel, &b->kernel, sizeof a->kernel);
    assert_int_equal(a->weight_count, b->weight_count);
#define ASKED(key, member, type, kind, low, high, names)                                           \
    assert_memory_equal(&a->member, &b->member, sizeof a->member);
#define FOUND ASKED
#include "map_fields.def"
}

static void check_same(const fixture_rows *rows, bool dense, const dps_map_request *asked)
{
    static job alone, shared;
    alone = shared = (job){.rows = rows, .dense = dense, .asked = *asked};
    (void)ranks_run(1, plan_on_rank, &alone);
    assert_int_equal(alone.status[0], DPS_OK);
    for (int ranks = 2; ranks <= 5; ranks++) {
        (void)ranks_run(ranks, plan_on_rank, &shared);
        for (int r = 0; r < ranks; r++) {
            const dps_row_sample *a = &alone.sample[0], *b = &shared.sample[r];
            assert_int_equal(shared.status[r], DPS_OK);
            assert_int_equal(a->rows, b->rows);
            assert_memory_equal(a->start, b->start, ((size_t)a->rows + 1) * sizeof *a->start);
            assert_memory_equal(a->column, b->column, a->entries * sizeof *a->column);
            assert_memory_equal(a->value, b->value, a->entries * sizeof *a->value);
            check_same_recipe(&alone.recipe[0], &shared.recipe[r]);
            assert_memory_equal(&alone.facts[0], &shared.facts[r], sizeof alone.facts[0]);
            dps_row_sample_release(&shared.sample[r]);
        }
    }
    dps_row_sample_release(&alone.sample[0]);
}

static void plans_are_those_of_one_rank(void **state)
{
    (void)state;
    fixture_rows many = fixture_rows_new(9000, 12, 0.5, 1.0, 5);
    fixture_rows few = fixture_rows_new(700, 12, 0.5, 1.0, 6);
    for (int k = 0; k < 4; k++) {
        dps_map_request asked =
            fixture_request(fixture_recipe(k % 2 == 0 ? "polynomial" : "exponential", 300));
        asked.measure = k < 2 ? DPS_MEASURE_GEOMETRIC : DPS_MEASURE_VARIANCE;
        if (k % 2 == 1) {
            asked.kernel.sigma = (double)NAN; /* auto */
        }
        check_same(&many, k % 2 == 0, &asked);
        check_same(&few, k % 2 == 1, &asked);
    }
    fixture_rows_free(&many);
    fixture_rows_free(&few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_those_of_one_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
