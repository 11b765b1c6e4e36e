/* What dcd and sgd promise for any number of shards: the optimum of the other solvers, certificates
 * that hold, the same bits for any number of threads and for tiles in memory or made again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contract/solver/sharing.h"
#include "shards.h"

static const int32_t shards[] = {1, 2, 4, 8};

static void solve(synthetic *s, const char *solver, int32_t K, double tolerance, int64_t most,
                  dps_solution *solution)
{
    dps_error err;
    s->shards = K;
    if (synthetic_solve(s, solver, tolerance, most, solution, &err) != DPS_OK) {
        fail_msg("%s with %d shards: %s", solver, (int)K, err.text);
    }
}

/* dcd: the gap bounds the distance. sgd ends on small changes. */
static void expect_optimum(synthetic *s, double tolerance, double sgd_tolerance)
{
    dps_solution best;
    solve(s, "newton", 1, 1e-8, 200, &best);
    for (EACH(K, shards)) {
        dps_solution dcd, sgd;
        solve(s, "dcd", shards[K], tolerance, 3000, &dcd);
        solve(s, "sgd", shards[K], 1e-3, 40, &sgd);
        print_message(
            "%s, %d classes, K = %d: dcd %lld passes, P / P* - 1 = %.2g; sgd %lld epochs, "
            "%.2g\n",
            s->problem.loss->name, (int)s->problem.classes, (int)shards[K],
            (long long)dcd.iterations, dcd.worst.primal / best.worst.primal - 1.0,
            (long long)sgd.iterations, sgd.worst.primal / best.worst.primal - 1.0);
        assert_int_equal(dcd.outcome, DPS_CONVERGED);
        assert_true(dcd.worst.gap <= tolerance);
        assert_true(dcd.worst.primal <= best.worst.primal * (1.0 + tolerance + 1e-8));
        assert_true(sgd.worst.primal <= best.worst.primal * (1.0 + sgd_tolerance));
        expect_own_values(s, &dcd);
        dps_solution_release(&dcd);
        dps_solution_release(&sgd);
    }
    dps_solution_release(&best);
}

static void any_number_of_shards_has_the_optimum_of_newton(void **state)
{
    (void)state;
    for (EACH(l, losses)) {
        synthetic *s = synthetic_new(3500, 12, l < 2 ? 3 : 2, losses[l], 1.0);
        expect_optimum(s, 1e-4, 0.02); /* as without shards */
        synthetic_free(s);
    }
}

/* Each shard has rows of one class only: dcd needs more passes; sgd, whose shards pull in opposite
 * directions, ends further off, but nowhere near what a shard alone would make of it. */
static void rows_sorted_by_class_are_no_harm(void **state)
{
    (void)state;
    for (size_t l = 0; l < 3; l++) {
        synthetic *s = synthetic_new(6200, 12, 2, losses[l], 1.0);
        synthetic_sort(s);
        expect_optimum(s, 1e-3, 0.1);
        synthetic_free(s);
    }
}

static void weights_of_classes_and_rows_count(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(3000, 10, 3, "hinge", 1.0);
    double *weight = weigh(s);
    dps_solution best;
    solve(s, "newton", 1, 1e-8, 200, &best);
    for (EACH(K, shards)) {
        dps_solution dcd;
        solve(s, "dcd", shards[K], 1e-4, 3000, &dcd);
        expect_between(&dcd, &best);
        dps_solution_release(&dcd);
    }
    dps_solution_release(&best);
    dps_free(weight);
    synthetic_free(s);
}

/* 14 tiles: with 16 shards some have none. */
static void bits_depend_on_neither_threads_nor_the_kind_of_tiles(void **state)
{
    (void)state;
    const char *const solvers[] = {"dcd", "sgd"};
    const int32_t many[] = {2, 4, 16};
    for (EACH(v, solvers)) {
        for (EACH(l, losses)) {
            for (EACH(K, many)) {
                synthetic *s = synthetic_new(5000, 70, l < 2 ? 3 : 2, losses[l], 1.0);
                dps_solution first;
                synthetic_add_sparse(s, 30);
                solve(s, solvers[v], many[K], 1e-6, 3, &first);
                for (int32_t i = 0; i < 3; i++) {
                    dps_solution other;
                    const int threads[] = {1, 2, 4};
                    s->run.threads = threads[i];
                    s->source.resident = i == 2;
                    solve(s, solvers[v], many[K], 1e-6, 3, &other);
                    expect_same_bits(&first, &other);
                    dps_solution_release(&other);
                }
                dps_solution_release(&first);
                synthetic_free(s);
            }
        }
    }
}

static void the_number_of_shards_is_what_a_result_depends_on(void **state)
{
    (void)state;
    synthetic *s = synthetic_new(5000, 12, 2, "hinge", 1.0);
    dps_solution one, two, automatic;
    solve(s, "dcd", 1, 1e-6, 3, &one);
    solve(s, "dcd", 2, 1e-6, 3, &two);
    solve(s, "dcd", 0, 1e-6, 3, &automatic);
    assert_memory_not_equal(one.w, two.w, one.length * sizeof(double));
    assert_memory_equal(one.w, automatic.w, one.length * sizeof(double));
    dps_solution_release(&one);
    dps_solution_release(&two);
    dps_solution_release(&automatic);
    synthetic_free(s);
}

static void a_broken_tile_ends_the_solve_with_its_error(void **state)
{
    (void)state;
    const char *const solvers[] = {"dcd", "sgd"};
    for (EACH(v, solvers)) {
        synthetic *s = synthetic_new(5000, 12, 2, "hinge", 1.0);
        dps_solution solution;
        dps_error err;
        s->shards = 4;
        s->run.threads = 2;
        s->source.resident = false;
        s->failing_tile = 9;
        assert_int_equal(synthetic_solve(s, solvers[v], 1e-6, 3, &solution, &err), DPS_ERROR_DATA);
        assert_string_equal(err.text, "tile 9 is broken");
        dps_solution_release(&solution);
        synthetic_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_shards_has_the_optimum_of_newton),
        cmocka_unit_test(rows_sorted_by_class_are_no_harm),
        cmocka_unit_test(weights_of_classes_and_rows_count),
        cmocka_unit_test(bits_depend_on_neither_threads_nor_the_kind_of_tiles),
        cmocka_unit_test(the_number_of_shards_is_what_a_result_depends_on),
        cmocka_unit_test(a_broken_tile_ends_the_solve_with_its_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
