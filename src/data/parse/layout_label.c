/* Which column is the label, where the user does not say:
 *
 *   1. the one named label, else target, else class, else y
 *   2. the last one, if it alone holds texts, or if it has few values and the first has not, or
 *      has but TRUE and FALSE;
 *      columns of nearly all different texts, or of TRUE and FALSE, do not count as texts
 *   3. the first one that is nothing else
 *
 * ARFF, as Weka has it: the one named class, else the last one.
 *
 * A column with few values: texts or whole numbers, each of which comes again. */
#include <string.h>

#include "column_kind.h"
#include "layout_private.h"
#include "text.h"

static bool is_free(const dps_layout *layout, int32_t k)
{
    return layout->field[k].role == DPS_COLUMN_NUMBER &&
           layout->field[k].left_out == DPS_NOT_LEFT_OUT;
}

static bool is_text(const dps_sample_field *at)
{
    return at->texts > 0 && !dps_column_is_numbers(at->numbers, at->texts, 0, 0);
}

/* TRUE and FALSE: a property, not the name of a class. */
static bool is_logical(const dps_sample_field *at)
{
    static const char *const words[] = {"true", "false", "t", "f"};
    for (int32_t v = 0; v < at->values.count; v++) {
        const char *value = at->values.text[v];
        bool found = false;
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            found |= dps_text_is_word(words[w], value, strlen(value));
        }
        if (!found) {
            return false;
        }
    }
    return at->values.count > 0;
}

/* Texts that are nearly all different. */
static bool is_id(const dps_layout_finder *f, int32_t k)
{
    const dps_sample_field *at = &f->sample->field[k];
    const int64_t rows = at->numbers + at->texts;
    return is_text(at) && ((at->all_different && rows >= 10) ||
                           dps_column_is_all_different(at->values.count, rows));
}

/* Looks like classes. */
static bool is_few(const dps_layout_finder *f, int32_t k)
{
    const dps_sample_field *at = &f->sample->field[k];
    return at->whole == at->numbers &&
           dps_column_is_few(at->values.count, f->sample->rows, is_text(at));
}

static int32_t best_name(const dps_layout *layout, int *rank)
{
    int32_t best = -1;
    for (int32_t k = 0; layout->header && k < layout->fields; k++) {
        const int found = dps_label_name_rank(layout->name[k]);
        if (found != 0 && layout->field[k].role < DPS_COLUMN_LABEL && (best < 0 || found < *rank)) {
            best = k;
            *rank = found;
        }
    }
    return best;
}

/* The first and the last column that may be the label: not an id of texts. */
static void end_columns(const dps_layout_finder *f, int32_t *first, int32_t *last)
{
    const dps_layout *layout = f->layout;
    *first = *last = -1;
    for (int32_t k = 0; k < layout->fields; k++) {
        if (is_free(layout, k) && !is_id(f, k)) {
            *first = *first < 0 ? k : *first;
            *last = k;
        }
    }
}

/* The one has two values or more, the other has one: as pixels at the edge of pictures. */
static bool has_more_values(const dps_layout_finder *f, int32_t k, int32_t other)
{
    return f->sample->field[k].values.count > 1 && f->sample->field[other].values.count == 1;
}

static int32_t guess(const dps_layout_finder *f)
{
    const dps_layout *layout = f->layout;
    int32_t first, last, texts = 0;
    end_columns(f, &first, &last);
    if (first < 0 || f->asked->regression || layout->delimiter == 0) {
        return first;
    }
    for (int32_t k = 0; k < layout->fields; k++) {
        texts += is_free(layout, k) && is_text(&f->sample->field[k]) && !is_id(f, k) &&
                 !is_logical(&f->sample->field[k]);
    }
    const bool few = is_few(f, last);
    if (few &&
        ((texts == 1 && is_text(&f->sample->field[last]) && !is_logical(&f->sample->field[last])) ||
         !is_few(f, first) || is_logical(&f->sample->field[first]) ||
         has_more_values(f, last, first))) {
        return last;
    }
    return first;
}

/* Of ARFF. */
static int32_t class_attribute(const dps_layout *layout)
{
    int32_t last = -1;
    for (int32_t k = 0; k < layout->fields; k++) {
        if (is_free(layout, k)) {
            if (dps_text_is_word("class", layout->name[k], strlen(layout->name[k]))) {
                return k;
            }
            last = k;
        }
    }
    return last;
}

/* The other columns that may be meant, at most three. */
static void list_others(dps_layout_finder *f, int32_t label)
{
    const dps_layout *layout = f->layout;
    int32_t shown = 0, first, last;
    end_columns(f, &first, &last);
    for (int32_t k = 0; k < layout->fields && shown < 3; k++) {
        const bool named = layout->header && dps_label_name_rank(layout->name[k]) != 0;
        const bool candidate =
            k != label && is_free(layout, k) &&
            (named || ((k == first || k == last || is_text(&f->sample->field[k])) && is_few(f, k)));
        if (candidate) {
            char name[256];
            dps_layout_field_name(layout, k, name, sizeof name);
            dps_text_format(&f->label_hint, "%s%s", shown++ > 0 ? ", " : "", name);
        }
    }
}

dps_status dps_layout_find_label(dps_layout_finder *f, int32_t *label)
{
    *label = f->options->arrays != NULL ? f->layout->fields - 1 : -1;
    if (*label >= 0) {
        return DPS_OK;
    }
    if (dps_layout_is_given(f->asked->label_column)) {
        return strcmp(f->asked->label_column, "none") == 0
                   ? DPS_OK
                   : dps_layout_find_given(f, "label_column", f->asked->label_column, label);
    }
    int rank = 0;
    f->layout->label_guessed = true;
    *label = f->layout->arff != NULL ? class_attribute(f->layout) : best_name(f->layout, &rank);
    if (*label < 0 && f->layout->arff == NULL) {
        *label = guess(f);
    }
    if (f->sample->rows > 0) {
        list_others(f, *label);
    }
    return DPS_OK;
}
