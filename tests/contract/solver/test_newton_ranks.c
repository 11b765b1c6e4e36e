/* newton over ranks: every bit of weights and certificates is that of one rank. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/synthetic_problem.h"
#include "ordered_sum.h"
#include "thread_ranks.h"

typedef struct job {
    const synthetic *all;
    int threads;
    size_t memory[RANKS_MOST]; /* 0: enough */
    int64_t failing_tile;
    const char *solver;
    int64_t max_iterations;
    int64_t units; /* that tiles are dealt in; 0: as many as sums have slots */
    int stops;     /* rank that gets a signal before it starts; -1: none */
    dps_status status[RANKS_MOST];
    dps_error error[RANKS_MOST];
    dps_solution solution[RANKS_MOST];
} job;

/* This rank's rows of the problem. */
static void solve_on_rank(const dps_comm *comm, void *context)
{
    job *j = context;
    const int rank = dps_comm_rank(comm), ranks = dps_comm_size(comm);
    const int64_t total = j->all->source.rows, tiles = dps_tile_count(total);
    const int64_t first = dps_rank_begin(rank, ranks, j->units, tiles) * DPS_TILE_ROWS;
    const int64_t limit = dps_rank_begin(rank + 1, ranks, j->units, tiles) * DPS_TILE_ROWS;
    const volatile sig_atomic_t stop = rank == j->stops;
    synthetic s = *j->all;
    s.source.context = &s;
    s.source.first_row = first < total ? first : total;
    s.source.rows = (limit < total ? limit : total) - s.source.first_row;
    s.source.total_rows = total;
    s.z += (size_t)s.source.first_row * s.source.stride;
    s.failing_tile = j->failing_tile < 0 ? -1 : j->failing_tile - first / DPS_TILE_ROWS;
    s.problem.source = &s.source;
    s.problem.label += s.source.first_row;
    s.problem.target += s.source.first_row;
    s.problem.row_weight += s.problem.row_weight == NULL ? 0 : s.source.first_row;
    s.start += s.start == NULL ? 0 : s.source.first_row;
    s.run.threads = j->threads;
    s.run.comm = comm;
    s.run.stop = &stop;
    if (j->memory[rank] > 0) {
        s.run.memory = j->memory[rank];
    }
    j->status[rank] = synthetic_solve(&s, j->solver, 1e-6, j->max_iterations, &j->solution[rank],
                                      &j->error[rank]);
}

static job job_of(const synthetic *s, int threads)
{
    return (job){.all = s,
                 .threads = threads,
                 .failing_tile = -1,
                 .solver = "newton",
                 .max_iterations = 60,
                 .stops = -1};
}

static void check_job(synthetic *s, int ranks, job j, const char *ended_by)
{
    dps_solution alone;
    dps_error err;
    assert_int_equal(synthetic_solve(s, j.solver, 1e-6, j.max_iterations, &alone, &err), DPS_OK);
    assert_string_equal(alone.solver->name, ended_by);
    (void)ranks_run(ranks, solve_on_rank, &j);
    for (int r = 0; r < ranks; r++) {
        const dps_solution *one = &j.solution[r];
        const size_t models = (size_t)alone.models;
        assert_int_equal(j.status[r], DPS_OK);
        assert_int_equal(one->iterations, alone.iterations);
        assert_int_equal(one->outcome, alone.outcome);
        assert_true(one->row_visits == alone.row_visits);
        assert_memory_equal(one->w, alone.w, models * alone.length * sizeof *alone.w);
        assert_memory_equal(one->certificate, alone.certificate,
                            models * sizeof *alone.certificate);
        dps_solution_release(&j.solution[r]);
    }
    dps_solution_release(&alone);
}

static void check_same(synthetic *s, int ranks, int threads)
{
    check_job(s, ranks, job_of(s, threads), "newton");
}

/* The interior point method ends few rows on whatever ranks have them: dealt by tiles or all on
 * one, made again or in memory, weighted, of several classes. */
static void few_rows_end_with_the_bits_of_one_rank(void **state)
{
    (void)state;
    static const char *const losses[] = {"hinge", "epsilon_insensitive"};
    double weight[1000];
    for (int i = 0; i < 1000; i++) {
        weight[i] = (double)(i % 4);
    }
    for (size_t i = 0; i < 8; i++) {
        synthetic *s = synthetic_new(i == 0  ? 800
                                     : i < 4 ? 400
                                             : 200,
                                     250, i % 4 == 1 ? 3 : 2, losses[i % 2], 1e8);
        job j = job_of(s, 1 + (int)(i % 2));
        s->source.resident = i % 4 < 2;
        s->problem.row_weight = i % 4 == 2 ? weight : NULL;
        s->shards = i < 4 ? 4 : 0;
        j.units = s->shards;
        j.max_iterations = 500;
        check_job(s, 2 + (int)(i % 3), j, "interior");
        synthetic_free(s);
    }
}

/* Sparse columns, which newton does not take. */
static void few_sparse_rows_end_with_the_bits_of_one_rank(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(500, 12, 2, "hinge", 1e8);
    job j = job_of(s, 1);
    synthetic_add_sparse(s, 300);
    s->shards = 4;
    j.units = 4;
    j.solver = "auto";
    for (int ranks = 2; ranks <= 4; ranks++) {
        check_job(s, ranks, j, "interior");
    }
    synthetic_free(s);
}

static void newton_has_the_bits_of_one_rank(void **state)
{
    (void)state;
    static const char *const losses[] = {"squared_hinge", "logistic", "hinge",
                                         "squared_epsilon_insensitive", "epsilon_insensitive"};
    static const int rank_counts[] = {2, 3, 4, 8};
    for (size_t l = 0; l < sizeof losses / sizeof losses[0]; l++) {
        synthetic *s = synthetic_new(40000, 20, 2, losses[l], 1.0);
        for (size_t r = 0; r < sizeof rank_counts / sizeof rank_counts[0]; r++) {
            check_same(s, rank_counts[r], 1 + (int)((l + r) % 2));
        }
        synthetic_free(s);
    }
}

static void newton_of_many_classes_has_the_bits_of_one_rank(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(30000, 24, 5, "squared_hinge", 10.0);
    s->source.resident = false;
    for (int ranks = 2; ranks <= 4; ranks++) {
        check_same(s, ranks, 2);
    }
    synthetic_free(s);
    s = synthetic_new(4000, 260, 5, "squared_hinge", 10.0); /* begins jointly */
    s->source.resident = false;
    check_same(s, 2, 2);
    check_same(s, 3, 1);
    synthetic_free(s);
}

static void ranks_without_rows_take_part(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(2000, 10, 3, "squared_hinge", 1.0); /* 6 tiles, one unit */
    check_same(s, 3, 1);
    synthetic_free(s);
}

/* The models that share a pass are those that fit every rank. */
static void ranks_of_unequal_memory_agree(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(20000, 30, 6, "squared_hinge", 1.0);
    dps_solution alone;
    dps_error err;
    job j = job_of(s, 1);
    j.memory[1] = (size_t)5 << 20;
    assert_int_equal(synthetic_solve(s, "newton", 1e-6, 60, &alone, &err), DPS_OK);
    (void)ranks_run(2, solve_on_rank, &j);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(j.status[r], DPS_OK);
        assert_memory_equal(j.solution[r].w, alone.w, 6 * alone.length * sizeof *alone.w);
        dps_solution_release(&j.solution[r]);
    }
    dps_solution_release(&alone);
    j.memory[1] = 1000;
    (void)ranks_run(2, solve_on_rank, &j);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(j.status[r], DPS_ERROR_MEMORY);
        dps_solution_release(&j.solution[r]);
    }
    synthetic_free(s);
}

static void an_error_or_a_signal_of_one_rank_ends_all(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(40000, 10, 2, "squared_hinge", 1.0);
    job broken = job_of(s, 1), stopped = job_of(s, 2);
    broken.failing_tile = 70;
    stopped.stops = 2;
    (void)ranks_run(3, solve_on_rank, &broken);
    (void)ranks_run(3, solve_on_rank, &stopped);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(broken.status[r], DPS_ERROR_DATA);
        assert_string_equal(broken.error[r].text, broken.error[0].text);
        assert_int_equal(stopped.status[r], DPS_ERROR_STOPPED);
        dps_solution_release(&broken.solution[r]);
        dps_solution_release(&stopped.solution[r]);
    }
    synthetic_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_end_with_the_bits_of_one_rank),
        cmocka_unit_test(few_sparse_rows_end_with_the_bits_of_one_rank),
        cmocka_unit_test(newton_has_the_bits_of_one_rank),
        cmocka_unit_test(newton_of_many_classes_has_the_bits_of_one_rank),
        cmocka_unit_test(ranks_without_rows_take_part),
        cmocka_unit_test(ranks_of_unequal_memory_agree),
        cmocka_unit_test(an_error_or_a_signal_of_one_rank_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
