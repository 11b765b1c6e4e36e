/* Task: from the words of the command line to what a command works with: options in the order
 * defaults, config, command line, and the run's threads, SIMD path, memory and log. */
#include "session.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cpu.h"
#include "file_bytes.h"
#include "names.h"
#include "number.h"
#include "output_file.h"
#include "passive_wait.h"
#include "ranks.h"
#include "signals.h"
#include "thread_probe.h"

#define LOOK_BYTES 65536

/* --- config or data? -------------------------------------------------------------------------- */

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

/* The first significant line begins a section or sets a key. */
static bool looks_like_ini(const char *text)
{
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
    }
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#' && *text != ';') {
            break;
        }
        text += strcspn(text, "\n");
    }
    if (*text == '[') { /* a section, or a list of JSON */
        text += 1 + strspn(text + 1, " \t");
        return isalpha((unsigned char)*text);
    }
    if (strncmp(text, "sep=", 4) == 0) {
        return false; /* of a spreadsheet: a table */
    }
    const char *key = text;
    while (isalnum((unsigned char)*text) || *text == '_') {
        text++;
    }
    bool named = text > key && isalpha((unsigned char)*key);
    text += strspn(text, " \t");
    return named && *text == '=';
}

dps_status dps_is_config(const char *path, bool *is_config, dps_error *err)
{
    struct stat info;
    *is_config = has_suffix(path, ".ini");
    if (strcmp(path, "-") == 0) {
        return DPS_OK;
    }
    if (stat(path, &info) != 0) {
        return dps_error_at(err, DPS_ERROR_IO, path, 0, 0,
                            "cannot open: %s; expected an INI file or a data file",
                            strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return dps_error_at(err, DPS_ERROR_IO, path, 0, 0,
                            "is a folder; expected an INI file or a data file");
    }
    if (*is_config || !S_ISREG(info.st_mode)) {
        return DPS_OK;
    }
    FILE *file = fopen(path, "rb");
    char *text = file == NULL ? NULL : calloc(1, LOOK_BYTES + 1);
    if (text == NULL) {
        dps_status status = dps_error_at(err, file == NULL ? DPS_ERROR_IO : DPS_ERROR_MEMORY, path,
                                         0, 0, "cannot open: %s", strerror(errno));
        if (file != NULL) {
            fclose(file);
        }
        return status;
    }
    text[dps_stream_read(file, text, LOOK_BYTES)] = '\0';
    const int fault = ferror(file) != 0 ? errno : 0;
    fclose(file);
    if (fault != 0) {
        free(text);
        return dps_error_at(err, DPS_ERROR_IO, path, 0, 0, "cannot be read: %s", strerror(fault));
    }
    *is_config = looks_like_ini(text);
    free(text);
    return DPS_OK;
}

/* --- options ---------------------------------------------------------------------------------- */

/* `dpsvm train FILE` where FILE holds rows: data.train, in quotes, as its name is one item. */
static dps_status use_data_file(dps_options *options, const char *path, dps_error *err)
{
    const char *quote = strchr(path, '"') == NULL ? "\"" : strchr(path, '\'') == NULL ? "'" : "";
    dps_text value = {0};
    dps_text_format(&value, "%s%s%s", quote, path, quote);
    dps_status status =
        value.failed ? dps_error_set(err, DPS_ERROR_MEMORY, "no memory for the command line")
                     : dps_options_set(options, "data", "train", value.data, "", NULL, 0, err);
    dps_text_release(&value);
    return status;
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* How a file for a model is read, and the report on it. */
static const char *const reading[] = {"data.format",
                                      "data.header",
                                      "data.label_column",
                                      "data.id_column",
                                      "data.weights",
                                      "data.delimiter",
                                      "data.decimal",
                                      "data.missing_words",
                                      "data.zero_based",
                                      "data.unknown",
                                      "output.report",
                                      "output.plot",
                                      NULL};

const char *const *dps_session_reading(void)
{
    return reading;
}

bool dps_command_takes(const dps_command *command, int option)
{
    const dps_option_info *row = &dps_option_table()[option];
    unsigned k;
    return command->options == DPS_ACCEPTS_ALL || strcmp(row->section, "run") == 0 ||
           (command->options == DPS_ACCEPTS_PREDICT &&
            dps_name_find(reading, row->name, strlen(row->name), &k));
}

dps_accepts dps_session_accepts(const dps_session *session)
{
    const dps_accepts all = session->command->options;
    return all == DPS_ACCEPTS_ALL && session->arguments.operand_count > 1 ? DPS_ACCEPTS_PREDICT
                                                                          : all;
}

/* Why a command that uses a model does not take this option, or NULL if it does. */
static const char *refusal(dps_accepts accepts, const char *assignment)
{
    if (accepts == DPS_ACCEPTS_ALL || starts(assignment, "run.")) {
        return NULL;
    }
    if (accepts == DPS_ACCEPTS_RUN) {
        return "only options of [run] apply here";
    }
    const char *sign = strchr(assignment, '=');
    unsigned k;
    if (sign != NULL && dps_name_find(reading, assignment, (size_t)(sign - assignment), &k)) {
        return NULL;
    }
    if (starts(assignment, "data.train=") || starts(assignment, "data.test=")) {
        return "name the rows as FILE, after the model";
    }
    if (starts(assignment, "output.")) {
        return "the model is the first operand, and -o names the output";
    }
    return "it is part of the model and can only be set when training";
}

/* The assignment as text of a message, without its value. */
static dps_status check_accepted(const dps_session *session, const char *assignment, dps_error *err)
{
    const char *reason = refusal(dps_session_accepts(session), assignment);
    if (reason == NULL) {
        return DPS_OK;
    }
    return dps_error_set(err, DPS_ERROR_CONFIG, "%s does not take --%s: %s", session->command->name,
                         DPS_QUOTE(assignment, strcspn(assignment, "="), 60), reason);
}

/* A picture is written as SVG, whatever its name: one that promises another form would be believed.
 */
static dps_status check_plot(const dps_options *options, dps_error *err)
{
    static const char *const others[] = {".png", ".jpg", ".jpeg", ".pdf",  ".gif", ".eps",
                                         ".ps",  ".tif", ".tiff", ".webp", ".bmp", ".html"};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (has_suffix(options->output_plot, others[k])) {
            return dps_options_error(
                options, DPS_OPT_output_plot, err,
                "a plot is SVG, found the ending %s: name it .svg; a browser "
                "shows it, and rsvg-convert or inkscape make other forms of it",
                others[k]);
        }
    }
    return DPS_OK;
}

dps_status dps_session_options(dps_session *session, dps_error *err)
{
    const dps_arguments *arguments = &session->arguments;
    DPS_TRY(dps_options_init(&session->options, err));
    if (dps_session_accepts(session) == DPS_ACCEPTS_ALL && arguments->operand_count > 0) {
        bool is_config = false;
        DPS_TRY(dps_is_config(arguments->operand[0], &is_config, err));
        DPS_TRY(is_config ? dps_options_read(&session->options, arguments->operand[0], err)
                          : use_data_file(&session->options, arguments->operand[0], err));
    }
    for (size_t i = 0; i < arguments->assignment_count; i++) {
        const char *assignment = arguments->assignment[i];
        /* first as an option, so that a name that does not exist is told as such */
        DPS_TRY(dps_options_set_text(&session->options, assignment, err));
        DPS_TRY(check_accepted(session, assignment, err));
    }
    return check_plot(&session->options, err);
}

/* --- the run ---------------------------------------------------------------------------------- */

/* More threads than processors are used as asked, with a warning. */
static void warn_of_threads(const dps_session *session)
{
    const int cpus = dps_cpus_allowed();
    if (session->comm == NULL && session->run.threads > cpus) {
        dps_log_text(&session->run, DPS_WARNING,
                     "%d threads (%s) on %d processor%s that this job may use: they will wait for "
                     "each other; ask for more processors (--cpus-per-task, or --bind-to none of "
                     "mpirun), or lower run.threads",
                     session->run.threads, session->threads.source, cpus, cpus == 1 ? "" : "s");
    }
}

/* `auto` is the best this processor has; a name must be one it has. */
static dps_status choose_simd(const dps_options *options, dps_simd *simd, dps_error *err)
{
    const bool automatic = strcmp(options->run_simd, "auto") == 0;
    *simd = automatic ? dps_cpu_best() : dps_name_value(dps_simd_names, options->run_simd);
    if (!dps_cpu_has(*simd)) {
        return dps_options_error(options, DPS_OPT_run_simd, err,
                                 "this processor has no %s; use auto (here: %s)", options->run_simd,
                                 dps_name_of(dps_simd_names, dps_cpu_best()));
    }
    return DPS_OK;
}

dps_status dps_session_run(dps_session *session, dps_error *err)
{
    const dps_options *options = &session->options;
    const dps_choice_int *threads = &options->run_threads;
    session->threads = dps_limit_threads(threads->choice == NULL ? (long)threads->number : 0);
    const bool long_work = session->command->options != DPS_ACCEPTS_RUN;
    if (long_work && session->comm == NULL && session->threads.value > 1) {
        dps_passive_wait_anew(session->argv);
    }
    session->memory = dps_limit_memory((size_t)options->run_memory);
    const bool silent = dps_ranks_silent(session);
    session->terminal.level =
        silent ? DPS_QUIET : dps_name_value(dps_level_names, options->run_verbosity);
    session->terminal.log.level = session->terminal.level;
    session->run = (dps_run){.threads = (int)session->threads.value,
                             .memory = session->memory.value,
                             .scratch = options->run_scratch,
                             .log = &session->terminal.log,
                             .stop = dps_signals_flag(),
                             .comm = session->comm};
    if (options->run_log[0] != '\0' && !silent) {
        DPS_TRY(dps_output_probe(options->run_log, "run.log", err));
        dps_run_log_init(&session->run_log, options->run_log, &session->terminal.log);
        session->run.log = &session->run_log.log;
    }
    if (long_work) {
        dps_terminal_beat(&session->terminal);
        warn_of_threads(session);
        dps_ranks_warn_alone(session);
    }
    return choose_simd(options, &session->run.simd, err);
}

void dps_session_probe_threads(dps_session *session)
{
    const int wanted = session->run.threads;
    const int possible =
        session->command->options == DPS_ACCEPTS_RUN ? wanted : dps_threads_possible(wanted);
    if (possible < wanted) {
        session->run.threads = possible;
        session->threads.value = (size_t)possible;
        dps_log_text(&session->run, DPS_WARNING,
                     "%d of %d threads (%s): the system refuses more; ulimit -u, the pids limit of "
                     "the job's control group, or memory for their stacks (ulimit -v, ulimit -s)",
                     possible, wanted, session->threads.source);
    }
}

void dps_session_announce(const dps_session *session)
{
    char memory[DPS_NUMBER_MAX], ranks[80] = "";
    if (session->comm != NULL) {
        snprintf(ranks, sizeof ranks, "%d ranks (%s) of ", dps_comm_size(session->comm),
                 dps_comm_library());
    }
    dps_format_bytes(memory, (double)session->memory.value);
    dps_log_text(&session->run, DPS_NORMAL,
                 "dpsvm " DPSVM_VERSION " %s: %s%d thread%s (%s), %s, memory %s (%s)",
                 session->command->name, ranks, session->run.threads,
                 session->run.threads == 1 ? "" : "s", session->threads.source,
                 dps_name_of(dps_simd_names, session->run.simd), memory, session->memory.source);
}

dps_status dps_print_result(dps_text *text, dps_error *err)
{
    return dps_output_text(text, "-", "the output", err);
}
