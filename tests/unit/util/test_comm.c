/* comm.c, on any number of ranks: alone as a unit test, and by mpirun on several (ctest -R ranks).
 * Every rank makes the same calls, or the others would wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocation.h"
#include "comm.h"

typedef struct ranks {
    dps_comm *comm;
    int rank, size;
} ranks;

static void sums_and_maxima_are_those_of_all_ranks(void **state)
{
    const ranks *r = *state;
    const int64_t n = r->size;
    double value[3] = {r->rank, -r->rank, 0.5};
    assert_int_equal(dps_comm_sum(r->comm, r->rank + 1), n * (n + 1) / 2);
    assert_int_equal(dps_comm_sum_before(r->comm, r->rank + 1),
                     (int64_t)r->rank * (r->rank + 1) / 2);
    assert_true(dps_comm_max(r->comm, r->rank) == (double)(n - 1));
    dps_comm_max_all(r->comm, value, 3);
    assert_true(value[0] == (double)(n - 1) && value[1] == 0 && value[2] == 0.5);
}

static void any_is_true_if_it_is_on_one_rank(void **state)
{
    const ranks *r = *state;
    assert_false(dps_comm_any(r->comm, false));
    assert_true(dps_comm_any(r->comm, r->rank == r->size - 1));
}

static void a_broadcast_has_the_bytes_of_its_root(void **state)
{
    const ranks *r = *state;
    for (int root = 0; root < r->size; root++) {
        char text[20];
        snprintf(text, sizeof text, "from rank %d", r->rank);
        dps_comm_broadcast(r->comm, root, text, sizeof text);
        assert_int_equal(atoi(text + 10), root);
    }
}

static void a_message_arrives_whole(void **state)
{
    enum { COUNT = 300000 }; /* beyond what an MPI sends before it is asked */
    const ranks *r = *state;
    if (r->size == 1) {
        skip();
    }
    int32_t *number = dps_alloc(COUNT, sizeof *number);
    assert_non_null(number);
    for (int to = 1; to < r->size; to++) {
        for (int k = 0; k < COUNT && r->rank == 0; k++) {
            number[k] = k * to;
        }
        if (r->rank == 0) {
            dps_comm_send(r->comm, to, number, COUNT * sizeof *number);
        } else if (r->rank == to) {
            dps_comm_receive(r->comm, 0, number, COUNT * sizeof *number);
        }
    }
    for (int k = 0; k < COUNT && r->rank > 0; k += 997) {
        assert_int_equal(number[k], k * r->rank);
    }
    dps_free(number);
}

/* Rank r gives r bytes of the letter 'a' + r: rank 0 gives none. */
static void what_is_gathered_comes_in_rank_order(void **state)
{
    const ranks *r = *state;
    char mine[64];
    char *all = NULL;
    dps_error err;
    size_t *begin = dps_alloc((size_t)r->size + 1, sizeof *begin);
    assert_non_null(begin);
    memset(mine, 'a' + r->rank, sizeof mine);
    assert_int_equal(dps_comm_gather(r->comm, mine, (size_t)r->rank, &all, begin, &err), DPS_OK);
    for (int k = 0; k < r->size; k++) {
        assert_int_equal(begin[k + 1] - begin[k], k);
        for (size_t i = begin[k]; i < begin[k + 1]; i++) {
            assert_int_equal(all[i], 'a' + k);
        }
    }
    dps_free(all);
    dps_free(begin);
}

static dps_status fault(int rank, dps_status status, dps_error *err)
{
    return status == DPS_OK ? DPS_OK : dps_error_set(err, status, "rank %d", rank);
}

static void all_agree_on_the_fault_of_the_lowest_rank(void **state)
{
    const ranks *r = *state;
    dps_error err;
    memset(&err, 0, sizeof err);
    assert_int_equal(dps_comm_agree(r->comm, DPS_OK, &err), DPS_OK);
    const int from = r->size / 2;
    dps_status mine = r->rank < from    ? DPS_OK
                      : r->rank == from ? DPS_ERROR_DATA
                                        : DPS_ERROR_NUMERIC;
    mine = fault(r->rank, mine, &err);
    assert_int_equal(dps_comm_agree(r->comm, mine, &err), DPS_ERROR_DATA);
    assert_int_equal(err.status, DPS_ERROR_DATA);
    assert_int_equal(atoi(err.text + 5), from);
}

static void a_stop_on_any_rank_wins(void **state)
{
    const ranks *r = *state;
    dps_error err;
    memset(&err, 0, sizeof err);
    dps_status mine = r->rank == r->size - 1 ? DPS_ERROR_STOPPED : DPS_ERROR_DATA;
    mine = fault(r->rank, mine, &err);
    assert_int_equal(dps_comm_agree(r->comm, mine, &err), DPS_ERROR_STOPPED);
    assert_int_equal(atoi(err.text + 5), r->size - 1);
}

static void a_fault_of_files_names_its_machine(void **state)
{
    const ranks *r = *state;
    dps_error err;
    memset(&err, 0, sizeof err);
    const dps_status mine = fault(r->rank, r->rank == r->size - 1 ? DPS_ERROR_IO : DPS_OK, &err);
    assert_int_equal(dps_comm_agree(r->comm, mine, &err), DPS_ERROR_IO);
    assert_int_equal(strstr(err.text, " on ") != NULL, r->size > 1);
}

static void an_error_may_be_unwanted(void **state)
{
    const ranks *r = *state;
    assert_int_equal(dps_comm_agree(r->comm, r->rank == 0 ? DPS_ERROR_DATA : DPS_OK, NULL),
                     DPS_ERROR_DATA);
}

static void the_end_is_agreed_on_too(void **state)
{
    const ranks *r = *state;
    dps_error err;
    bool all = false;
    memset(&err, 0, sizeof err);
    const dps_status mine =
        fault(r->rank, r->rank == r->size - 1 ? DPS_ERROR_NUMERIC : DPS_OK, &err);
    assert_int_equal(dps_comm_finish(r->comm, mine, &all, &err), DPS_ERROR_NUMERIC);
    assert_true(all);
    assert_int_equal(atoi(err.text + 5), r->size - 1);
}

static void the_library_has_a_name(void **state)
{
    (void)state;
    assert_true(strlen(dps_comm_library()) > 0);
}

int main(int argc, char **argv)
{
    ranks r = {0};
    dps_error err;
    const int wanted = argc > 1 ? atoi(argv[1]) : 1;
    if (dps_comm_open(&r.comm, &err) != DPS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    r.rank = dps_comm_rank(r.comm);
    r.size = dps_comm_size(r.comm);
    if (r.size != wanted) {
        fprintf(stderr, "%d ranks, expected %d\n", r.size, wanted);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(sums_and_maxima_are_those_of_all_ranks, &r),
        cmocka_unit_test_prestate(any_is_true_if_it_is_on_one_rank, &r),
        cmocka_unit_test_prestate(a_broadcast_has_the_bytes_of_its_root, &r),
        cmocka_unit_test_prestate(a_message_arrives_whole, &r),
        cmocka_unit_test_prestate(what_is_gathered_comes_in_rank_order, &r),
        cmocka_unit_test_prestate(all_agree_on_the_fault_of_the_lowest_rank, &r),
        cmocka_unit_test_prestate(a_stop_on_any_rank_wins, &r),
        cmocka_unit_test_prestate(a_fault_of_files_names_its_machine, &r),
        cmocka_unit_test_prestate(an_error_may_be_unwanted, &r),
        cmocka_unit_test_prestate(the_end_is_agreed_on_too, &r),
        cmocka_unit_test_prestate(the_library_has_a_name, &r),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dps_comm_close(r.comm);
    return failed;
}
