/* Loading over ranks: what the ranks have together is what one rank has, bit for bit, and the first
 * fault in the order of the input is everybody's error. */
#include "load_fixture.h"

#include "thread_ranks.h"

typedef struct job {
    const dps_load_options *options;
    int threads;
    dps_status status[RANKS_MOST];
    dps_error error[RANKS_MOST];
    dps_dataset data[RANKS_MOST];
} job;

static void load_on_rank(const dps_comm *comm, void *context)
{
    job *j = context;
    const int rank = dps_comm_rank(comm);
    dps_run run = run_with(j->threads);
    run.comm = comm;
    j->status[rank] =
        dps_dataset_load_chunked(j->options, 700, &run, &j->data[rank], &j->error[rank]);
}

static void same_rows(const dps_scaled_rows *all, const dps_scaled_rows *part, int64_t first)
{
    dps_dataset whole = {.x = *all}, piece = {.x = *part};
    for (int64_t i = 0; i < part->rows; i++) {
        for (int32_t c = 0; c < all->columns; c++) {
            if (memcmp(&(double){value_at(&whole, first + i, c)}, &(double){value_at(&piece, i, c)},
                       sizeof(double)) != 0) {
                fail_msg("row %d, column %d", (int)(first + i), (int)c);
            }
        }
    }
}

static void same_tables(const dps_table *a, const dps_table *b)
{
    assert_int_equal(a->count, b->count);
    for (int32_t c = 0; c < a->count; c++) {
        assert_int_equal(a->column[c].role, b->column[c].role);
        assert_int_equal(a->column[c].first, b->column[c].first);
        assert_memory_equal(&a->column[c].fill, &b->column[c].fill, sizeof(double));
        assert_int_equal(a->column[c].value.count, b->column[c].value.count);
        for (int32_t k = 0; k < a->column[c].value.count; k++) {
            assert_string_equal(a->column[c].value.text[k], b->column[c].value.text[k]);
        }
    }
}

static void check_part(const dps_dataset *all, const dps_dataset *part)
{
    const int64_t first = part->first_row, rows = part->x.rows;
    assert_int_equal(part->total_rows, all->x.rows);
    assert_int_equal(part->x.columns, all->x.columns);
    assert_int_equal(part->nonzeros, all->nonzeros);
    assert_int_equal(part->bytes, all->bytes);
    assert_string_equal(part->note, all->note);
    assert_int_equal(part->classes.count, all->classes.count);
    for (int32_t k = 0; k < all->classes.count; k++) {
        assert_string_equal(part->classes.text[k], all->classes.text[k]);
        assert_int_equal(part->classes.rows[k], all->classes.rows[k]);
    }
    same_tables(&all->table, &part->table);
    assert_same_columns(&all->scaler, &part->scaler);
    assert_memory_equal(&all->scaler.row_factor, &part->scaler.row_factor, sizeof(double));
    assert_memory_equal(&all->scaler.radius1, &part->scaler.radius1, sizeof(double));
    assert_memory_equal(&all->scaler.radius2, &part->scaler.radius2, sizeof(double));
    assert_int_equal(all->scaler.dense, part->scaler.dense);
    SAME_ARRAY(all->label, part->label, first, rows);
    SAME_ARRAY(all->target, part->target, first, rows);
    SAME_ARRAY(all->row_weight, part->row_weight, first, rows);
    SAME_ARRAY(all->held_label, part->held_label, part->held_first_row, part->held.rows);
    SAME_ARRAY(all->held_target, part->held_target, part->held_first_row, part->held.rows);
    same_rows(&all->x, &part->x, first);
    same_rows(&all->held, &part->held, part->held_first_row);
}

/* By 2, 3 and 8 ranks; spread: rows enough for all of them to have some. */
static void check_ranks(const dps_load_options *options, bool spread)
{
    static const int sizes[] = {2, 3, 8};
    static job shared;
    dps_dataset all;
    load_ok(options, 0, 1, &all);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const int ranks = sizes[k];
        shared = (job){.options = options, .threads = 1 + ranks % 2};
        (void)ranks_run(ranks, load_on_rank, &shared);
        int64_t next = 0, next_held = 0;
        for (int r = 0; r < ranks; r++) {
            if (shared.status[r] != DPS_OK) {
                fail_msg("rank %d of %d: %s:%d: %s", r, ranks, shared.error[r].file,
                         (int)shared.error[r].line, shared.error[r].text);
            }
            assert_int_equal(shared.data[r].first_row, next);
            assert_int_equal(shared.data[r].held_first_row, next_held);
            assert_true(!spread || ranks > 2 || shared.data[r].x.rows > 0);
            next += shared.data[r].x.rows;
            next_held += shared.data[r].held.rows;
            check_part(&all, &shared.data[r]);
            dps_dataset_release(&shared.data[r]);
        }
        assert_int_equal(next, all.x.rows);
        assert_int_equal(next_held, all.held.rows);
    }
    dps_dataset_release(&all);
}

static void libsvm_text_of_every_density_and_scaling(void **state)
{
    (void)state;
    static const dps_scaling scalings[] = {DPS_SCALE_MAX_ABS, DPS_SCALE_STANDARD, DPS_SCALE_MIN_MAX,
                                           DPS_SCALE_NONE,    DPS_SCALE_LOG,      DPS_SCALE_RANK};
    for (int k = 0; k < 6; k++) {
        char *text = random_text(k == 3 ? 700 : 7000, 30, k % 2 == 0 ? 12 : 2, 5 + (uint64_t)k);
        char *name = make_text_file(text);
        const char *path = name;
        const dps_load_options options = load_options(
            &path, 1, scalings[k], k % 2 == 0 ? DPS_NORMALIZE_MAX_NORM : DPS_NORMALIZE_UNIT);
        check_ranks(&options, k != 3);
        drop_file(name);
        dps_text t = {.data = text};
        dps_text_release(&t);
    }
}

/* More rows than are looked at for the order of values. */
static void bends_of_a_sample_of_rows(void **state)
{
    (void)state;
    char *text = random_text(40000, 3, 2, 23);
    char *name = make_text_file(text);
    const char *path = name;
    for (int scaling = DPS_SCALE_LOG; scaling <= DPS_SCALE_RANK; scaling++) {
        const dps_load_options options =
            load_options(&path, 1, (dps_scaling)scaling, DPS_NORMALIZE_NONE);
        check_ranks(&options, true);
    }
    drop_file(name);
    dps_text t = {.data = text};
    dps_text_release(&t);
}

/* Few rows have feature 2,000,000,001, the first spelling of a class is in the last file. */
static void several_files_rare_features_and_first_spellings(void **state)
{
    (void)state;
    char *text = random_text(3500, 20, 3, 17);
    char *names[] = {make_text_file("2 1:1\n\n"), make_text_file(text), make_text_file(""),
                     make_text_file(text), make_text_file("2.0 2000000001:3\n+2 7:1")};
    const dps_load_options options =
        load_options((const char *const *)names, 5, DPS_SCALE_MAX_ABS, DPS_NORMALIZE_MAX_NORM);
    check_ranks(&options, true);
    for (int k = 0; k < 5; k++) {
        drop_file(names[k]);
    }
    dps_text t = {.data = text};
    dps_text_release(&t);
}

/* A table: a header, words that occur late, missing values, weights, targets. */
static char *random_table(int rows, uint64_t seed)
{
    static const char *const word[] = {"red", "1.0", "green", "1", "blue", "late"};
    dps_text text = {0};
    dps_text_add(&text, "y,a,colour,b,w\n");
    for (int i = 0; i < rows; i++) {
        const int known = i < 9 * rows / 10 ? 5 : 6;
        const double a = (double)(next_random(&seed) % 9001) / 1000.0 - 0.7;
        dps_text_format(&text, "%d,%.4g,%s,", (int)(next_random(&seed) % 3), a,
                        word[next_random(&seed) % (uint32_t)known]);
        if (next_random(&seed) % 10 == 0) {
            dps_text_add(&text, "NA");
        } else {
            dps_text_format(&text, "%.5g", a * a + 0.001 * (double)(next_random(&seed) % 1000));
        }
        dps_text_format(&text, ",%.2f\n", 0.5 + (double)(next_random(&seed) % 100) / 50.0);
    }
    assert_false(text.failed);
    return text.data;
}

static void tables_with_words_missing_values_and_weights(void **state)
{
    (void)state;
    char *text = random_table(8000, 3);
    char *name = make_text_file(text);
    const char *path = name;
    static const dps_scaling scalings[] = {DPS_SCALE_STANDARD, DPS_SCALE_LOG, DPS_SCALE_RANK};
    for (int k = 0; k < 3; k++) {
        dps_load_options options = load_options(&path, 1, scalings[k], DPS_NORMALIZE_MAX_NORM);
        options.read.table.missing = k == 1 ? DPS_MISSING_ZERO : DPS_MISSING_MEAN;
        options.read.table.categorical = k == 2 ? DPS_CATEGORICAL_ORDINAL : DPS_CATEGORICAL_ONEHOT;
        options.weights = "w";
        options.regression = k == 1;
        check_ranks(&options, true);
    }
    drop_file(name);
    dps_text t = {.data = text};
    dps_text_release(&t);
}

static dps_status every_fifth(const void *context, const int32_t *label, int64_t rows,
                              int32_t classes, int32_t *fold, dps_error *err)
{
    (void)context;
    (void)err;
    int64_t before[3] = {0};
    for (int64_t i = 0; i < rows; i++) { /* of its class: what a rank alone cannot know */
        fold[i] = before[classes > 1 ? label[i] : 0]++ % 5 == 1 ? 0 : -1;
    }
    return DPS_OK;
}

static void rows_held_out_and_weights_of_a_file(void **state)
{
    (void)state;
    char *text = random_text(8000, 12, 2, 31);
    dps_text weights = {0};
    for (int i = 0; i < 8000; i++) {
        dps_text_format(&weights, "%d\n", i % 13 + 1);
    }
    char *name = make_text_file(text), *weights_name = make_text_file(weights.data);
    const char *path = name;
    dps_load_options options = load_options(&path, 1, DPS_SCALE_MAX_ABS, DPS_NORMALIZE_MAX_NORM);
    options.hold_out = every_fifth;
    options.weights = weights_name;
    check_ranks(&options, true);
    drop_file(name);
    drop_file(weights_name);
    dps_text t = {.data = text};
    dps_text_release(&t);
    dps_text_release(&weights);
}

static void npy_matrices(void **state)
{
    (void)state;
    static const char dictionary[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (7000, 6), }          \n";
    const size_t start = 10 + strlen(dictionary), bytes = start + 7000 * 6 * sizeof(float);
    char *file = calloc(1, bytes);
    uint64_t seed = 8;
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (char)strlen(dictionary);
    memcpy(file + 10, dictionary, strlen(dictionary));
    for (size_t i = 0; i < (size_t)7000 * 6; i++) {
        const float x = i % 6 == 0 ? (float)(next_random(&seed) % 2)
                                   : (float)(next_random(&seed) % 1000) / 7.0f;
        memcpy(file + start + i * sizeof x, &x, sizeof x);
    }
    char *names[] = {make_file(file, bytes), make_file(file, bytes)};
    const dps_load_options options =
        load_options((const char *const *)names, 2, DPS_SCALE_STANDARD, DPS_NORMALIZE_MAX_NORM);
    check_ranks(&options, true);
    drop_file(names[0]);
    drop_file(names[1]);
    free(file);
}

/* ---- faults ---- */

static void check_error(const dps_load_options *options)
{
    static job shared;
    const dps_run run = run_with(1);
    dps_dataset data;
    dps_error alone;
    const dps_status status = dps_dataset_load_chunked(options, 700, &run, &data, &alone);
    assert_int_not_equal(status, DPS_OK);
    for (int ranks = 2; ranks <= 5; ranks++) {
        shared = (job){.options = options, .threads = 2};
        (void)ranks_run(ranks, load_on_rank, &shared);
        for (int r = 0; r < ranks; r++) {
            assert_int_equal(shared.status[r], status);
            assert_string_equal(shared.error[r].text, alone.text);
            assert_string_equal(shared.error[r].file, alone.file);
            /* faults found after parsing have a line where a chunk has no blank ones */
            if (shared.error[r].line > 0 && alone.line > 0) {
                assert_int_equal(shared.error[r].line, alone.line);
            }
            assert_true(alone.column == 0 || shared.error[r].line > 0);
            assert_int_equal(shared.error[r].column, alone.column);
        }
    }
}

static void the_first_fault_is_everybodys_error(void **state)
{
    (void)state;
    static const char *const fault[] = {"1 3:x\n", "1 1:1e300 4:2\n", "\"a\n", "1 5:5 5:6\n"};
    for (int k = 0; k < 4; k++) {
        for (int place = 0; place < 3; place++) {
            dps_text text = {0};
            char *part = random_text(800, 12, 2, 7);
            dps_text_add(&text, place == 0 ? fault[k] : "");
            dps_text_add(&text, part);
            dps_text_add(&text, place == 1 ? fault[k] : "");
            dps_text_add(&text, part);
            dps_text_add(&text, fault[k]);
            dps_text_add(&text, part);
            char *names[] = {make_text_file(part), make_text_file(text.data)};
            dps_load_options options =
                load_options((const char *const *)names, 2, DPS_SCALE_NONE, DPS_NORMALIZE_NONE);
            options.regression = k == 2;
            check_error(&options);
            drop_file(names[0]);
            drop_file(names[1]);
            dps_text p = {.data = part};
            dps_text_release(&p);
            dps_text_release(&text);
        }
    }
}

static void inputs_without_rows_classes_or_weights_are_refused_alike(void **state)
{
    (void)state;
    char *part = random_text(500, 3, 2, 7);
    char *names[] = {make_text_file(""), make_text_file("\n# nothing\n\n\n"),
                     make_text_file("1 1:1\n1 1:2\n+1 2:2\n"), make_text_file(part)};
    for (int k = 0; k < 4; k++) {
        const char *path = names[k];
        dps_load_options options = load_options(&path, 1, DPS_SCALE_NONE, DPS_NORMALIZE_NONE);
        options.weights = k == 3 ? names[1] : NULL;
        check_error(&options);
    }
    for (int k = 0; k < 4; k++) {
        drop_file(names[k]);
    }
    dps_text p = {.data = part};
    dps_text_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libsvm_text_of_every_density_and_scaling),
        cmocka_unit_test(bends_of_a_sample_of_rows),
        cmocka_unit_test(several_files_rare_features_and_first_spellings),
        cmocka_unit_test(tables_with_words_missing_values_and_weights),
        cmocka_unit_test(rows_held_out_and_weights_of_a_file),
        cmocka_unit_test(npy_matrices),
        cmocka_unit_test(the_first_fault_is_everybodys_error),
        cmocka_unit_test(inputs_without_rows_classes_or_weights_are_refused_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
