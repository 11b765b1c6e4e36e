/* Task: lead the words of other programs to the option that does what they mean. One list
 * (peer_words.def) serves the hints of errors, `dpsvm help WORD` and a page of the docs. */
#include "peer_words.h"

#include <string.h>
#include "option_value.h"

typedef enum peer { PEER_LIBSVM, PEER_LIBLINEAR, PEER_sklearn, PEER_XGBoost, PEER_others } peer;

static const char *const peer_names[] = {"LIBSVM", "LIBLINEAR", "scikit-learn", "XGBoost",
                                         "other programs"};

static const struct peer_word {
    peer program;
    const char *word, *option, *difference;
} table[] = {
#define WORD(program, word, option, difference) {PEER_##program, word, option, difference},
#include "peer_words.def"
#undef WORD
};
enum { WORDS = sizeof table / sizeof table[0] };

/* Values that people write for a choice. */
static const struct peer_value {
    const char *option, *word, *choice, *reason;
} values[] = {
    {"kernel.type", "rbf", "rbf", NULL}, /* in large letters */
    {"kernel.type", "gaussian", "rbf", NULL},
    {"kernel.type", "gauss", "rbf", NULL},
    {"kernel.type", "poly", "polynomial", NULL},
    {"kernel.type", "dot", "linear", NULL},
    {"kernel.type", "none", "linear", NULL},
    {"kernel.type", "sigmoid", NULL,
     "tanh(gamma <x, y> + r) is no kernel: it has negative eigenvalues, so that no features "
     "can stand for it; rbf and polynomial are what it is used for"},
    {"kernel.type", "tanh", NULL,
     "tanh(gamma <x, y> + r) is no kernel: it has negative eigenvalues, so that no features "
     "can stand for it; rbf and polynomial are what it is used for"},
    {"kernel.type", "precomputed", NULL,
     "rows are mapped to features, and no matrix of kernel values is read: give the rows"},
    {"kernel.gamma", "scale", NULL, "map.gamma = scale is scikit-learn's 1/(d var), for rbf"},
    {"kernel.gamma", "auto", NULL, "map.gamma = auto is from the distances of the rows, for rbf"},
    {"map.base", "gaussian", "rbf", NULL},
    {"solver.loss", "log", "logistic", NULL},
    {"solver.loss", "log_loss", "logistic", NULL},
    {"data.scaling", "minmax", "min_max", NULL},
    {"data.scaling", "maxabs", "max_abs", NULL},
    {"data.missing", "median", NULL, "missing values are filled by the mean or by 0"},
};

static size_t without_dashes(const char **word, size_t length)
{
    while (length > 1 && **word == '-') {
        (*word)++;
        length--;
    }
    return length;
}

/* A flag of one letter only with its dash: c alone may be anything. -w1 is LIBSVM's -w. */
static bool is_word(const struct peer_word *row, const char *word, size_t length)
{
    const char *mine = row->word;
    if (mine[0] == '-') {
        const bool weight = mine[1] == 'w' && length >= 2;
        return word[0] == '-' && (length == 2 || weight) && word[1] == mine[1];
    }
    length = without_dashes(&word, length);
    if (strlen(mine) != length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (mine[i] != (word[i] == '-' ? '_' : word[i]) && mine[i] != word[i]) {
            return false;
        }
    }
    return true;
}

/* "map.features", or " (scikit-learn's n_components: ...)" behind it. */
static void add_meaning(const struct peer_word *row, dps_text *out)
{
    const bool named = row->program != PEER_others;
    dps_text_add(out, row->option[0] == '\0' ? "there is none" : row->option);
    if (named || row->difference[0] != '\0') {
        dps_text_format(out, " (%s%s%s%s%s)", named ? peer_names[row->program] : "",
                        named ? "'s " : "", named ? row->word : "",
                        named && row->difference[0] != '\0' ? ": " : "", row->difference);
    }
}

bool dps_peer_word_hint(const char *word, size_t length, dps_text *out)
{
    bool found = false;
    for (size_t k = 0; k < WORDS; k++) {
        if (is_word(&table[k], word, length)) {
            dps_text_add(out, found ? ", or " : "; here it is ");
            add_meaning(&table[k], out);
            found = true;
        }
    }
    return found;
}

bool dps_peer_word_help(const char *word, dps_text *out)
{
    bool found = false;
    for (size_t k = 0; k < WORDS; k++) {
        if (is_word(&table[k], word, strlen(word))) {
            dps_text_format(out, "%s, %s: %s%s%s\n", peer_names[table[k].program], table[k].word,
                            table[k].option[0] == '\0' ? "not here" : table[k].option,
                            table[k].difference[0] == '\0' ? "" : "; ", table[k].difference);
            found = true;
        }
    }
    return found;
}

void dps_peer_words_of(dps_option_id id, dps_text *out)
{
    const char *name = dps_option_table()[id].name;
    bool found = false;
    for (size_t k = 0; k < WORDS; k++) {
        if (table[k].program != PEER_others && strcmp(table[k].option, name) == 0) {
            dps_text_format(out, "%s%s %s", found ? ", " : "", peer_names[table[k].program],
                            table[k].word);
            found = true;
        }
    }
}

void dps_peer_words_markdown(dps_text *out)
{
    peer last = PEER_others;
    dps_text_add(out,
                 "# Words of other programs\n"
                 "\n"
                 "Generated from `src/config/peer_words.def`: for people who come from another "
                 "program, what they\n"
                 "wrote there, what it is called here, and what differs. `dpsvm help WORD` "
                 "says the same of one\n"
                 "word, and an option that does not exist is answered with it.\n");
    for (size_t k = 0; k < WORDS; k++) {
        const struct peer_word *row = &table[k];
        if (k == 0 || row->program != last) {
            dps_text_format(out,
                            "\n## %s\n\n| there | here | what differs |\n| --- | --- | --- |\n",
                            peer_names[row->program]);
            last = row->program;
        }
        const bool none = row->option[0] == '\0';
        dps_text_format(out, "| `%s` | %s%s%s | %s |\n", row->word, none ? "" : "`",
                        none ? "none" : row->option, none ? "" : "`", row->difference);
    }
}

const char *dps_peer_value(const char *option, const char *text, size_t length, const char **reason)
{
    *reason = NULL;
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        if (strcmp(values[k].option, option) == 0 &&
            dps_text_is_word(values[k].word, text, length)) {
            *reason = values[k].reason;
            return values[k].choice;
        }
    }
    return NULL;
}
