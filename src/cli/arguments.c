/* Task: sort the words of a command line into operands, flags and assignments of options.
 *
 *   word                  operand; also "-" (standard input) and everything after "--"
 *   --section.key=value   assignment; the value may also be the next word
 *   --flag, -f            flag; a value is the next word, or follows '=' after the long name
 *
 * Flags are rows of a table, mostly shorthands of options; each command says which it takes. A word
 * that begins with a dash and is none of these is an error with the nearest name. */
#include "arguments.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "number.h"
#include "options.h"
#include "peer_words.h"

static const dps_flag_info table[DPS_FLAG_COUNT] = {
    [DPS_FLAG_OUTPUT] = {"--output", "-o", "OUT", NULL,
                         "where the result is written; - is standard output"},
    [DPS_FLAG_SCORES] = {"--scores", NULL, NULL, NULL,
                         "decision values instead of labels: one column for two classes (positive "
                         "for the larger label), else a column a class, in class order"},
    [DPS_FLAG_PROBA] = {"--proba", NULL, NULL, NULL,
                        "probabilities instead of labels: a column a class, in class order; for "
                        "models trained with solver.probability = on"},
    [DPS_FLAG_THRESHOLD] =
        {"--threshold", NULL, "T", NULL,
         "of two classes the larger, or --positive, is predicted where its "
         "decision value is above T (0); with --proba its probability; evaluate also takes "
         "accuracy, f1 or balanced, and chooses the T that is best by it",
         "evaluate accuracy f1 balanced\0"},
    [DPS_FLAG_POSITIVE] = {"--positive", NULL, "LABEL", NULL,
                           "of two classes the one that --threshold is about (the larger); with "
                           "--scores or --proba the one column that is written"},
    [DPS_FLAG_FLUSH] = {"--flush", NULL, NULL, NULL,
                        "answer every row as its line comes in: for a program at both ends of a "
                        "pipe"},
    [DPS_FLAG_IMPORTANCE] = {"--importance", NULL, NULL, NULL,
                             "how much accuracy (regression: RMSE) is lost when a column's values "
                             "are dealt anew among the rows, with its standard error"},
    [DPS_FLAG_FORMAT] =
        {"--format", NULL, "F", NULL,
         "predict: text (default), or csv with a header, the label and a probability or score a "
         "class; transform: libsvm (default), csv or npy; kernel: table (default), csv or json",
         "predict text csv\0transform libsvm csv npy\0kernel table csv json\0"},
    [DPS_FLAG_REPORT] = {"--report", NULL, "FILE", "output.report=", "JSON report of the run"},
    [DPS_FLAG_STRICT] = {"--strict", NULL, NULL, NULL,
                         "exit with 1 if the solver did not reach its tolerance; the model is "
                         "written all the same"},
    [DPS_FLAG_SHARD] = {"--shard", NULL, "i/n", NULL,
                        "do the i-th of n parts of the work; default in a Slurm job array: its "
                        "task"},
    [DPS_FLAG_COLLECT] = {"--collect", NULL, NULL, NULL,
                          "compute nothing: put the results of all parts together"},
    [DPS_FLAG_JSON] = {"--json", NULL, NULL, NULL, "as JSON"},
    [DPS_FLAG_WEIGHTS] = {"--weights", NULL, NULL, NULL,
                          "for a model without a map: class, feature and weight in units of the "
                          "input, separated by tabs, and the intercept"},
    [DPS_FLAG_VERIFY] = {"--verify", NULL, NULL, NULL,
                         "compute the scores of the model's self-test (output.self_test) on every "
                         "instruction set of this machine; without one compare these with plain C"},
    [DPS_FLAG_COMPARE] = {"--compare", NULL, NULL, NULL,
                          "also with the other maps of the same kernel"},
    [DPS_FLAG_SIZES] = {"--sizes", NULL, "LIST", NULL,
                        "values of D, default 10,20,50,100,200,500,1000,2000,5000, or the model's"},
    [DPS_FLAG_RUNS] =
        {"--runs", NULL, "N", NULL,
         "maps at each D, of seeds map.seed on, or those after the model's; default 5"},
    [DPS_FLAG_ROWS] = {"--rows", NULL, "N", NULL,
                       "rows sampled, all pairs of them are compared; default 200, at most 384"},
    [DPS_FLAG_ERROR] = {"--error", NULL, "E", NULL,
                        "error that the bounds are about; default a tenth of the mean of K(x, x)"},
    [DPS_FLAG_RISK] = {"--risk", NULL, "P", NULL,
                       "probability of a larger error that the bounds may leave; default 0.05"},
    [DPS_FLAG_PLOT] =
        {"--plot", NULL, "FILE.svg", "output.plot=",
         "draws, as SVG; train: the learning curve; tune: the metric over what was searched; "
         "evaluate: ROC, precision and recall, calibration, confusion; of numbers predicted "
         "against true and residuals; kernel: the mean errors"},
    [DPS_FLAG_C] = {"--c", NULL, "FILE.c", NULL,
                    "one file of C99 that needs nothing but libc and libm and has the scores of "
                    "predict, bit for bit; - is standard output"},
    [DPS_FLAG_ONNX] = {"--onnx", NULL, "FILE", NULL,
                       "a graph of ONNX (operators of opset 13, in double precision): scores, "
                       "labels and probabilities of rows of numbers"},
    [DPS_FLAG_NAME] =
        {"--name", NULL, "NAME", NULL,
         "what the functions of the C file begin with, or the graph is called; default "
         "model"},
    [DPS_FLAG_FORCE] = {"--force", NULL, NULL, NULL,
                        "write it even if it has more than 5,000,000 numbers as C, or 500 MB as "
                        "ONNX"},
    [DPS_FLAG_QUIET] = {"--quiet", "-q", NULL, "run.verbosity=quiet", "say nothing but errors"},
    [DPS_FLAG_VERBOSE] = {"--verbose", "-v", NULL, "run.verbosity=debug", "say more"},
    [DPS_FLAG_HELP] = {"--help", "-h", NULL, NULL, "this help"},
};

const dps_flag_info *dps_flag_table(void)
{
    return table;
}

static const dps_flag_info *find_flag(const char *word, size_t length)
{
    for (size_t i = 0; i < DPS_FLAG_COUNT; i++) {
        const char *names[] = {table[i].name, table[i].short_name};
        for (size_t k = 0; k < 2; k++) {
            if (names[k] != NULL && strlen(names[k]) == length &&
                memcmp(names[k], word, length) == 0) {
                return &table[i];
            }
        }
    }
    return NULL;
}

static dps_status add_assignment(dps_arguments *arguments, const char *left, const char *right,
                                 dps_error *err)
{
    size_t length = strlen(left);
    char *text = malloc(length + strlen(right) + 1);
    if (text == NULL) {
        return dps_error_set(err, DPS_ERROR_MEMORY, "no memory for the command line");
    }
    memcpy(text, left, length);
    strcpy(text + length, right);
    arguments->assignment[arguments->assignment_count++] = text;
    return DPS_OK;
}

/* Options of the table with this key, as "--map.seed or --solver.seed". */
static void list_options_with_key(const char *key, size_t length, dps_text *out)
{
    const dps_option_info *options = dps_option_table();
    for (size_t i = 0; i < DPS_OPTION_COUNT; i++) {
        if (strlen(options[i].key) == length && memcmp(options[i].key, key, length) == 0) {
            dps_text_format(out, "%s--%s", out->length > 0 ? " or " : "", options[i].name);
        }
    }
}

/* word[0..length) begins with a dash and is no flag of this command. */
static dps_status unknown_flag(const char *command, unsigned flags, const char *word, size_t length,
                               dps_error *err)
{
    char name[64];
    dps_text hint = {0};
    if (find_flag(word, length) != NULL && flags != 0) {
        dps_text_format(&hint, "; %s does not take it", command);
    } else if (length > 2 && word[1] == '-') {
        list_options_with_key(word + 2, length - 2, &hint);
    }
    if (hint.length == 0 && dps_peer_word_hint(word, length, &hint)) {
        const dps_status status =
            dps_error_set(err, DPS_ERROR_CONFIG,
                          "unknown flag %s%s; options are written "
                          "--section.key=value",
                          DPS_QUOTE(word, length, 60), hint.failed ? "" : hint.data);
        dps_text_release(&hint);
        return status;
    }
    const char *nearest = NULL;
    if (hint.length == 0 && length < sizeof name) {
        const char *candidates[DPS_FLAG_COUNT];
        size_t count = 0;
        for (size_t i = 0; i < DPS_FLAG_COUNT; i++) {
            if ((flags >> i & 1) != 0) {
                candidates[count++] = table[i].name;
            }
        }
        memcpy(name, word, length);
        name[length] = '\0';
        nearest = length > 2 ? dps_nearest_name(name, candidates, count) : NULL;
    }
    bool refused = hint.length > 0 && hint.data[0] == ';';
    dps_status status =
        dps_error_set(err, DPS_ERROR_CONFIG, "%s flag %s%s%s%s; see 'dpsvm help %s'",
                      refused ? "unexpected" : "unknown", DPS_QUOTE(word, length, 60),
                      refused || (hint.length == 0 && nearest == NULL) ? "" : "; did you mean ",
                      hint.length > 0 ? hint.data : (nearest != NULL ? nearest : ""),
                      refused || (hint.length == 0 && nearest == NULL) ? "" : "?", command);
    dps_text_release(&hint);
    return status;
}

/* A word that begins with a dash, with the word after it (or NULL), which *took_next claims. */
static dps_status parse_dashed(dps_arguments *arguments, const char *command, unsigned flags,
                               const char *word, const char *next, bool *took_next, dps_error *err)
{
    const char *equals = strchr(word, '=');
    size_t length = equals == NULL ? strlen(word) : (size_t)(equals - word);
    if (word[1] == '-' && memchr(word, '.', length) != NULL) {
        if (equals != NULL) {
            return add_assignment(arguments, word + 2, "", err);
        }
        dps_text left = {0};
        dps_text_format(&left, "%s=", word + 2);
        *took_next = true;
        dps_status status =
            next == NULL || left.failed
                ? dps_error_set(err, DPS_ERROR_CONFIG, "%s needs a value: %s=VALUE", word, word)
                : add_assignment(arguments, left.data, next, err);
        dps_text_release(&left);
        return status;
    }
    const dps_flag_info *flag = find_flag(word, length);
    if (flag == NULL || (flags >> (flag - table) & 1) == 0) {
        return unknown_flag(command, flags, word, length, err);
    }
    int64_t number;
    if (flag == &table[DPS_FLAG_VERBOSE] && next != NULL &&
        dps_text_to_int64(next, strlen(next), &number)) { /* LIBSVM's -v 5 */
        return unknown_flag(command, 0, word, length, err);
    }
    const char *value = "";
    if (flag->value_name == NULL && equals != NULL) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "%s takes no value", flag->name);
    }
    if (flag->value_name != NULL) {
        value = equals == NULL ? next : equals + 1;
        *took_next = equals == NULL;
        if (value == NULL || value[0] == '\0') {
            return dps_error_set(err, DPS_ERROR_CONFIG, "%s needs a value: %s %s", flag->name,
                                 flag->name, flag->value_name);
        }
    }
    arguments->flag[flag - table] = value;
    return flag->option == NULL ? DPS_OK : add_assignment(arguments, flag->option, value, err);
}

static bool takes(unsigned flags, const char *word, size_t length)
{
    const dps_flag_info *flag = find_flag(word, length);
    return flag != NULL && (flags >> (flag - table) & 1) != 0;
}

dps_status dps_arguments_parse(dps_arguments *arguments, const char *command, unsigned flags,
                               int count, char **words, dps_error *err)
{
    dps_status status = DPS_OK;
    bool only_operands = false;
    const bool topics = strcmp(command, "help") == 0; /* help -c: of LIBSVM's -c */
    memset(arguments, 0, sizeof *arguments);
    size_t room = (size_t)count + 1;
    arguments->operand = calloc(room, sizeof *arguments->operand);
    arguments->assignment = calloc(room, sizeof *arguments->assignment);
    if (arguments->operand == NULL || arguments->assignment == NULL) {
        status = dps_error_set(err, DPS_ERROR_MEMORY, "no memory for the command line");
    }
    for (int i = 0; i < count && status == DPS_OK; i++) {
        const char *word = words[i];
        bool took_next = false;
        if (only_operands || word[0] != '-' || word[1] == '\0' ||
            (topics && strcmp(word, "--") != 0 && !takes(flags, word, strlen(word)))) {
            arguments->operand[arguments->operand_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else {
            status = parse_dashed(arguments, command, flags, word,
                                  i + 1 < count ? words[i + 1] : NULL, &took_next, err);
        }
        i += took_next;
    }
    if (status != DPS_OK) {
        dps_arguments_release(arguments);
    }
    return status;
}

void dps_arguments_release(dps_arguments *arguments)
{
    for (size_t i = 0; i < arguments->assignment_count; i++) {
        free(arguments->assignment[i]);
    }
    free(arguments->assignment);
    free(arguments->operand);
    memset(arguments, 0, sizeof *arguments);
}
