/* Names or values: what the first line and the second one are, by the values below them.
 *
 * A first line is one of names if one of these holds:
 *   - it holds a name that the user or the model gave, or one that means the label and is no value
 *     of its column further down;
 *   - some column has text there and numbers below;
 *   - its fields are in quotes and the numbers below are not;
 *   - its numbers go up by one (0, 1, 2, ... as pandas numbers columns, or years) where the numbers
 *     below are fractions or others; or just go up, four or more, and in no column lie among ten or
 *     more values below (wavelengths);
 *   - all its fields are texts, no two alike, and none stands in its column again.
 * A second line is one of units if most columns of numbers have text there. */
#include <math.h>
#include <string.h>

#include "column_kind.h"
#include "number.h"
#include "table_sample.h"
#include "text.h"

int dps_label_name_rank(const char *name)
{
    static const char *const known[] = {"label", "target", "class", "y"};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (dps_text_is_word(known[k], name, strlen(name))) {
            return (int)k + 1;
        }
    }
    return 0;
}

static bool is_given_name(const char *text, const dps_table_options *options,
                          const dps_table *known)
{
    const char *const given[] = {options->label_column, options->id_column, options->weight_column};
    for (size_t k = 0; k < sizeof given / sizeof given[0]; k++) {
        if (given[k] != NULL && *text != '\0' && strcmp(given[k], text) == 0) {
            return true;
        }
    }
    for (int32_t c = 0; known != NULL && c < known->count; c++) {
        const char *name = known->column[c].name;
        if (name != NULL && *name != '\0' && strcmp(name, text) == 0) {
            return true;
        }
    }
    return false;
}

/* The names of the model's table in their order, of all features at least. */
static bool is_known_header(const dps_table_sample *sample, const dps_table *known)
{
    int32_t f = 0;
    if (known == NULL || !known->header) {
        return false;
    }
    for (int32_t c = 0; c < known->count; c++) {
        if (f < sample->fields && strcmp(known->column[c].name, sample->field[f].first) == 0) {
            f++;
        } else if (known->column[c].role <= DPS_COLUMN_ORDINAL) {
            return false;
        }
    }
    return f == sample->fields && f > 0;
}

static bool all_distinct_texts(const dps_table_sample *sample)
{
    for (int32_t f = 0; f < sample->fields; f++) {
        if (sample->field[f].first_number || sample->field[f].first_returns) {
            return false;
        }
        for (int32_t g = 0; g < f && sample->fields <= 1000; g++) {
            if (strcmp(sample->field[f].first, sample->field[g].first) == 0) {
                return false;
            }
        }
    }
    return true;
}

/* Names in quotes over numbers without. */
static bool is_quoted(const dps_table_sample *sample)
{
    bool bare = false;
    for (int32_t f = 0; f < sample->fields; f++) {
        const dps_sample_field *at = &sample->field[f];
        if (!at->first_quoted && *at->first != '\0') {
            return false;
        }
        bare |= at->numbers > 0 && at->quoted == 0;
    }
    return bare;
}

/* Numbers that go up by one, which those below do not look like: fractions for the most part, or
 * all smaller or greater, in at least a third of the columns. Texts among them do not come again.
 */
static bool is_numbered(const dps_table_sample *sample)
{
    int64_t before = 0;
    int32_t run = 0, strange = 0, columns = 0;
    for (int32_t f = 0; f < sample->fields; f++) {
        const dps_sample_field *at = &sample->field[f];
        if (f == 0 && *at->first == '\0') {
            continue; /* of the row numbers */
        }
        if (!at->first_whole) {
            if (at->first_number || at->first_returns) {
                return false;
            }
            continue;
        }
        if (run > 0 && !dps_follows(before, at->first_value)) {
            return false;
        }
        before = at->first_value;
        run++;
        columns += at->numbers > 0;
        strange += at->numbers > 0 && (2 * at->whole < at->numbers ||
                                       (run > 4 && ((double)at->first_value < at->low ||
                                                    (double)at->first_value > at->high)));
    }
    return run >= 3 && sample->rows >= 3 && 3 * strange >= columns && strange > 0;
}

/* Numbers that go up, each of them beyond all values of its column. */
static bool is_beyond(const dps_table_sample *sample)
{
    double before = -INFINITY;
    int32_t numbers = 0;
    for (int32_t f = 0; f < sample->fields; f++) {
        const dps_sample_field *at = &sample->field[f];
        double number;
        if (!dps_text_to_double(at->first, strlen(at->first), &number)) {
            if (at->first_number || at->first_returns) {
                return false;
            }
            continue;
        }
        if (at->numbers < 10 || !(number > before) || (number >= at->low && number <= at->high)) {
            return false;
        }
        before = number;
        numbers++;
    }
    return numbers >= 4;
}

bool dps_table_sample_is_header(const dps_table_sample *sample, const dps_table_options *options,
                                const dps_table *known)
{
    if (sample->head.unnamed != DPS_ALL_NAMED || is_known_header(sample, known)) {
        return true;
    }
    for (int32_t f = 0; f < sample->fields; f++) {
        const dps_sample_field *at = &sample->field[f];
        if (at->first_number) {
            continue;
        }
        if (is_given_name(at->first, options, known) ||
            (dps_label_name_rank(at->first) != 0 && !at->first_returns && sample->repeats == 0) ||
            (at->numbers > 0 && !at->first_returns &&
             dps_column_is_numbers(at->numbers, at->texts, 0, 0))) {
            return true;
        }
    }
    return is_quoted(sample) || is_numbered(sample) || is_beyond(sample) ||
           (sample->repeats == 0 && all_distinct_texts(sample));
}

bool dps_table_sample_is_units(const dps_table_sample *sample)
{
    int32_t numbers = 0, texts = 0, marks = 0;
    if (sample->second_line == 0 || !sample->header || sample->rows < 2) {
        return false;
    }
    for (int32_t f = 0; f < sample->fields; f++) {
        const dps_sample_field *at = &sample->field[f];
        if (at->numbers == 0 || at->texts > 0) {
            continue;
        }
        const bool text = !at->second_number && !at->second_missing;
        numbers += !at->second_missing;
        texts += text;
        marks += text && strchr("[(", *at->second) != NULL;
    }
    return 2 * texts > numbers && (texts >= 2 || marks > 0);
}
