/* Task: a model as one file of C99: what scorer.c.in says, with the parts that the model needs, and
 * the numbers of its scaler, map and weights as arrays. The map is written as it was drawn, so that
 * the file needs no random numbers. Cost: a look at every number. */
#include "score_c.h"

#include <scorer_text.h>
#include <string.h>
#include "allocation.h"
#include "c_template.h"
#include "c_writer_private.h"
#include "model_fields.h"

enum { MOST_TAGS = 48, MOST_STACK = 65536 };

typedef struct tag_list {
    const char *tag[MOST_TAGS + 1];
    int count;
} tag_list;

static void tag_if(tag_list *list, bool holds, const char *tag)
{
    if (holds && list->count < MOST_TAGS) {
        list->tag[list->count++] = tag;
    }
}

static bool has_additive(const dps_c_writer *w)
{
    return dps_c_has_kind(w, DPS_BLOCK_ADDITIVE);
}

/* ---- sizes ---- */

/* Numbers of scratch that the transforms of one size want. */
static size_t transform_floats(const dps_hadamard_panels *panels)
{
    return panels == NULL ? 0 : (size_t)panels->size * (panels->pairs ? 5 : 3);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* A line of struct work, unless it is empty. */
static size_t add_field(dps_text *out, const char *name, size_t count)
{
    if (count > 0) {
        dps_text_format(out, "    float %s[%zu];\n", name, count);
    }
    return count * sizeof(float);
}

/* What a row needs while it is scored; returns its bytes. */
static size_t add_work(const dps_c_writer *w, dps_text *out)
{
    const dps_exact *exact = w->view.exact;
    const size_t d = (size_t)w->features, n = (size_t)(exact->degree > 0 ? exact->degree : 0);
    const bool narrow = n >= 2 || dps_c_has_kind(w, DPS_BLOCK_SIGNS);
    dps_text_add(out, "struct work {\n");
    size_t bytes = add_field(out, "x", d);
    bytes += add_field(out, "narrow", narrow ? d : 0);
    bytes += add_field(out, "z", larger(dps_c_panel(w), 1));
    bytes += add_field(out, "root", has_additive(w) ? d : 0);
    bytes += add_field(out, "logarithm", has_additive(w) ? d : 0);
    bytes +=
        add_field(out, "transform",
                  larger(transform_floats(w->view.hadamard), transform_floats(w->view.mixing)));
    bytes += add_field(out, "random", w->view.mixing != NULL ? (size_t)w->view.layout->random : 0);
    if (n >= 2) {
        dps_text_format(out, "    float monomial[2][%zu];\n", exact->count[n]);
        bytes += 2 * exact->count[n] * sizeof(float);
    }
    dps_text_add(out, "};\n");
    return bytes;
}

static void add_sizes(const dps_c_writer *w, dps_text *out)
{
    const dps_model *model = w->model;
    dps_text_format(out, "enum { %s_COLUMNS = %ld, %s_SCORES = %ld", w->name, (long)w->rows->count,
                    w->name, (long)model->models);
    if (model->task == DPS_TASK_CLASSIFICATION) {
        dps_text_format(out, ", %s_CLASSES = %ld", w->name, (long)model->classes.count);
    }
    dps_text_add(out, " };\n\n");
}

/* ---- parts ---- */

static void tag_rows(const dps_c_writer *w, tag_list *list)
{
    const dps_scaler *scaler = &w->model->scaler;
    const char *words = w->model->table.missing_words;
    dps_list_item first;
    tag_if(list, w->rows->column != NULL, "table");
    tag_if(list, w->rows->column != NULL && w->model->table.header, "named");
    tag_if(list, w->rows->texts, "text");
    tag_if(list, words != NULL && dps_list_next(&words, &first), "words");
    tag_if(list, w->rows->fills, "filled");
    tag_if(list, w->plain != NULL, "plain");
    if (w->plain != NULL) {
        return;
    }
    tag_if(list, true, "mapped");
    tag_if(list, dps_scaling_is_affine(scaler->scaling), "scale_affine");
    tag_if(list, scaler->scaling == DPS_SCALE_LOG, "scale_log");
    tag_if(list, scaler->scaling == DPS_SCALE_RANK, "scale_rank");
    tag_if(list, scaler->normalize == DPS_NORMALIZE_UNIT, "unit");
}

static void tag_map(const dps_c_writer *w, tag_list *list)
{
    const dps_map_view *view = &w->view;
    const bool signs = dps_c_has_kind(w, DPS_BLOCK_SIGNS), real = dps_c_has_real(w);
    const bool cosines = dps_c_has_kind(w, DPS_BLOCK_COSINES);
    tag_if(list, has_additive(w) || w->model->scaler.scaling == DPS_SCALE_LOG, "log");
    tag_if(list, view->exact->width > 0, "exact_part");
    tag_if(list, view->exact->constant, "exact_constant");
    tag_if(list, view->exact->linear, "exact_linear");
    tag_if(list, view->exact->degree >= 2, "exact_monomials");
    tag_if(list, view->layout->block_count > 0, "random");
    tag_if(list, signs, "signs");
    tag_if(list, signs && view->pairs, "pairs");
    tag_if(list, signs && !view->pairs, "signs_real");
    tag_if(list, real, "real");
    tag_if(list, real && view->layout->phases > 0, "phase");
    tag_if(list, cosines, "real_cosine");
    tag_if(list, real && !cosines, "real_linear");
    tag_if(list, cosines || has_additive(w), "cosine");
    tag_if(list, has_additive(w), "additive");
    tag_if(list, view->hadamard != NULL, "hadamard");
    tag_if(list, view->hadamard != NULL && view->hadamard->pairs, "hadamard_pairs");
    tag_if(list, view->mixing != NULL, "mixing");
    tag_if(list, w->predictor->builder.bias != 0, "bias");
    tag_if(list, dps_c_panel(w) > 0, "panel");
    tag_if(list, w->model->sparse_columns > 0, "sparse");
}

static void tag_outcome(const dps_c_writer *w, tag_list *list)
{
    const dps_model *model = w->model;
    const bool classes = model->task == DPS_TASK_CLASSIFICATION;
    tag_if(list, classes, "classes");
    tag_if(list, classes && model->classes.count == 2, "two");
    tag_if(list, classes && model->classes.count > 2, "many");
    tag_if(list, model->probability != DPS_PROBABILITY_NONE, "probability");
    tag_if(list, model->probability == DPS_PROBABILITY_SIGMOID, "sigmoid");
    tag_if(list, model->probability == DPS_PROBABILITY_ISOTONIC, "isotonic");
}

/* ---- the file ---- */

/* What the model says about itself, in its own words (docs/model_format.md). */
static void add_head(const dps_c_writer *w, dps_text *out)
{
    dps_text_add(out, "/* Scores of a model, written by `dpsvm export` of dpsvm " DPSVM_VERSION
                      ". C99 with its libc and libm,\n"
                      " * nothing else: cc -std=c99 -O2 -c FILE.c. On IEEE 754 arithmetic without "
                      "wider registers\n"
                      " * (FLT_EVAL_METHOD 0), without -ffast-math and with -ffp-contract=off, "
                      "which the file\n"
                      " * itself asks GCC and clang for, the scores have the bits of `dpsvm "
                      "predict --scores`;\n"
                      " * -march=native or -mfma makes them faster and changes none. The model "
                      "(no field is\n * needed below):\n *\n");
    dps_model_fields_write(w->model, " *   ", out);
    dps_text_add(out, " */\n");
}

typedef struct insertion {
    const dps_c_writer *w;
    const dps_text *work;
} insertion;

static void insert(void *context, const char *tag, size_t length, dps_text *out)
{
    const insertion *in = context;
    if (length == 5 && memcmp(tag, "sizes", length) == 0) {
        add_sizes(in->w, out);
        return;
    }
    if (length == 5 && memcmp(tag, "words", length) == 0) {
        dps_c_add_missing_words(in->w, out);
        return;
    }
    dps_c_add_data(in->w, out);
    if (in->w->plain == NULL) {
        dps_c_add_map(in->w, out);
        dps_text_add(out, "\n/* What a row needs while it is scored. */\n");
        dps_text_append(out, in->work->data, in->work->length);
    }
}

static void add_file(const dps_c_writer *w, dps_text *out)
{
    tag_list list = {0};
    dps_text work = {0};
    insertion in = {w, &work};
    tag_rows(w, &list);
    tag_outcome(w, &list);
    if (w->plain == NULL) {
        const size_t bytes = add_work(w, &work);
        tag_map(w, &list);
        tag_if(&list, true, bytes > MOST_STACK ? "large" : "small");
    }
    const dps_c_template template = {.text = dps_scorer_text,
                                     .name = w->name,
                                     .tag = list.tag,
                                     .insert = insert,
                                     .context = &in};
    add_head(w, out);
    if (work.failed) {
        out->failed = true;
    } else {
        dps_c_template_write(&template, out);
    }
    dps_text_release(&work);
}

void dps_score_c(const dps_predictor *predictor, const dps_row_columns *rows, const char *name,
                 dps_text *out)
{
    const dps_c_writer w = {.predictor = predictor,
                            .model = predictor->model,
                            .rows = rows,
                            .name = name,
                            .map = predictor->map,
                            .view = dps_map_view_of(predictor->map),
                            .plain = predictor->plain,
                            .features = predictor->model->scaler.columns};
    add_file(&w, out);
}
