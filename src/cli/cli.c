/* The command line: the table of commands, and the way every one of them is run:
 *   words -> command -> arguments -> options -> run -> command's function -> exit code.
 * The only place that prints errors. */
#include "cli.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "comm.h"
#include "launch.h"
#include "ranks.h"
#include "session.h"
#include "signals.h"

#define COMMON_FLAGS (DPS_TAKES(QUIET) | DPS_TAKES(VERBOSE) | DPS_TAKES(HELP))

static const dps_command table[] = {
    {"train", "[CONFIG] [flags] [--section.key=value ...]", "trains and writes a model",
     "CONFIG is an INI file, or a data file, which then is data.train; it may be left out if\n"
     "--data.train=FILE is given. The model goes to output.model (model.dpsvm). What happens is "
     "said\n"
     "on standard error; nothing is written to standard output. Reaching an iteration limit is\n"
     "reported, with the gap that is left; with --strict it is a failure.",
     COMMON_FLAGS | DPS_TAKES(OUTPUT) | DPS_TAKES(REPORT) | DPS_TAKES(PLOT) | DPS_TAKES(STRICT), 0,
     1, DPS_ACCEPTS_ALL, true, dps_command_train},
    {"predict", "MODEL FILE ... [flags]", "predicts a label for every row",
     "One label a line, in the order of the rows, to standard output or to OUT. FILE may be -,\n"
     "standard input; several files are read as one. Labels in FILE are not needed; where there "
     "are\n"
     "some, the accuracy is said on standard error.",
     COMMON_FLAGS | DPS_TAKES(OUTPUT) | DPS_TAKES(SCORES) | DPS_TAKES(PROBA) |
         DPS_TAKES(THRESHOLD) | DPS_TAKES(POSITIVE) | DPS_TAKES(FORMAT) | DPS_TAKES(FLUSH) |
         DPS_TAKES(REPORT),
     2, SIZE_MAX, DPS_ACCEPTS_PREDICT, true, dps_command_predict},
    {"tune", "[CONFIG] [flags] [--section.key=value ...]",
     "searches options by cross-validation and trains the best",
     "[tune] names options and their values, as solver.C = 2^-5..2^15 or map.features = 200, 500,\n"
     "or --tune.solver.C=1,10,100 here. The best settings go to standard output, all of them to\n"
     "tune.table, the one that is kept to tune.ini and its model to output.model. Results are "
     "kept\n"
     "in tune.journal as they come in: a search that was stopped goes on where it was.",
     COMMON_FLAGS | DPS_TAKES(OUTPUT) | DPS_TAKES(REPORT) | DPS_TAKES(SHARD) | DPS_TAKES(COLLECT) |
         DPS_TAKES(PLOT),
     0, 1, DPS_ACCEPTS_ALL, true, dps_command_tune},
    {"evaluate", "MODEL FILE ... [flags]", "compares predictions with the labels of a file",
     "Accuracy, precision, recall and F1 of every class, the confusion matrix, the AUC of two "
     "classes,\n"
     "and the log-loss where the model has probabilities, to standard output.",
     COMMON_FLAGS | DPS_TAKES(THRESHOLD) | DPS_TAKES(POSITIVE) | DPS_TAKES(PROBA) |
         DPS_TAKES(PLOT) | DPS_TAKES(IMPORTANCE) | DPS_TAKES(REPORT),
     2, SIZE_MAX, DPS_ACCEPTS_PREDICT, true, dps_command_evaluate},
    {"transform", "MODEL FILE ... [flags]", "writes the mapped rows",
     "The random features of every row, without the solver's constant feature. libsvm: label "
     "first;\n"
     "csv: the label is the last column, if there are labels; npy: a float32 matrix without "
     "labels.",
     COMMON_FLAGS | DPS_TAKES(OUTPUT) | DPS_TAKES(FORMAT) | DPS_TAKES(REPORT), 2, SIZE_MAX,
     DPS_ACCEPTS_PREDICT, true, dps_command_transform},
    {"info", "MODEL [flags]", "says what is inside a model",
     "Kernel, map, seed, scaling, classes, and how it was trained.",
     COMMON_FLAGS | DPS_TAKES(JSON) | DPS_TAKES(WEIGHTS) | DPS_TAKES(VERIFY), 1, 1, DPS_ACCEPTS_RUN,
     false, dps_command_info},
    {"export", "MODEL [--c FILE.c] [--onnx FILE] [flags]", "writes a model as C source or as ONNX",
     "For programs that are to score rows without dpsvm: map, weights, scaling, fills, code books "
     "and\n"
     "probabilities of the model in one file. The first lines of the C file say how it is "
     "compiled;\n"
     "with -Dmodel_MAIN it is a program that reads rows from standard input.",
     COMMON_FLAGS | DPS_TAKES(C) | DPS_TAKES(ONNX) | DPS_TAKES(NAME) | DPS_TAKES(FORCE), 1, 1,
     DPS_ACCEPTS_RUN, false, dps_command_export},
    {"check", "[CONFIG] [--section.key=value ...]",
     "reads config and data and says what train would do",
     "Validates without training: writes the effective options, each with its origin, and the "
     "plan\n"
     "(rows, degrees, coverage, D, D', memory, work) to standard output, as an INI file.",
     COMMON_FLAGS | DPS_TAKES(REPORT), 0, 1, DPS_ACCEPTS_ALL, false, dps_command_check},
    {"kernel", "[CONFIG] [flags] [--section.key=value ...] | MODEL FILE ... [flags]",
     "measures the map's error on the rows, for a list of D",
     "All pairs of some rows, several maps at each D: mean, largest, root-mean-square and "
     "relative\n"
     "error of <z(x), z(y)> against K(x, y), with confidence intervals; what theory promises, and "
     "the\n"
     "D it asks for; with --compare every other map of the same kernel, at equal D, D' and time.\n"
     "Nothing is trained. Of a MODEL: the kernel of its map, with the metric T that\n"
     "map.refine = metric has learnt (K of x T and y T), and the error of the model's own map, of\n"
     "maps of other seeds and of maps without T on the rows of FILE, which need no labels.\n"
     "docs/evidence/kernel_error.md explains the figures.",
     COMMON_FLAGS | DPS_TAKES(REPORT) | DPS_TAKES(FORMAT) | DPS_TAKES(COMPARE) | DPS_TAKES(SIZES) |
         DPS_TAKES(RUNS) | DPS_TAKES(ROWS) | DPS_TAKES(ERROR) | DPS_TAKES(RISK) | DPS_TAKES(PLOT),
     0, SIZE_MAX, DPS_ACCEPTS_ALL, false, dps_command_kernel},
    {"bench", "[data | features | linalg | solver | scale] [--run.threads=N] [--run.simd=NAME]",
     "measures what this machine reaches",
     "Synthetic data; one JSON line a measure on standard output: the rate with 1, 2, 4, ... "
     "threads\n"
     "and every SIMD path, and its share of SGEMM, memcpy or memchr measured in the same run. "
     "scale:\n"
     "a table of the stages of a training with 1, 2, 4, ... threads, and what they use of "
     "memory's\n"
     "bandwidth and of the rate of products.",
     COMMON_FLAGS, 0, 1, DPS_ACCEPTS_RUN, false, dps_command_bench},
    {"help", "[COMMAND | OPTION | SECTION | WORD | config | options | words | completion | man]",
     "explains a command, an option or a word of another program",
     "solver.C, C, data: the option or the section. config: an INI file with every option and its\n"
     "default. options: a page about them. words: what other programs call them. tol, -c, "
     "svm-scale:\n"
     "what a word of theirs is here. completion [bash | zsh]: a script for that shell. man "
     "[COMMAND |\n"
     "config]: a manual page, as dpsvm help man train | man -l -.",
     COMMON_FLAGS, 0, 2, DPS_ACCEPTS_RUN, false, dps_command_help},
    {"version", "", "version, compiler, SIMD path, OpenMP", "Put this into a bug report.",
     COMMON_FLAGS, 0, 0, DPS_ACCEPTS_RUN, false, dps_command_version},
    {0}};

static dps_status unknown_command(const char *name, dps_error *err)
{
    const char *names[sizeof table / sizeof table[0]];
    size_t count = 0;
    for (const dps_command *c = table; c->name != NULL; c++) {
        names[count++] = c->name;
    }
    const char *nearest = dps_nearest_name(name, names, count);
    return dps_error_set(err, DPS_ERROR_CONFIG, "unknown command %s%s%s; 'dpsvm help' lists them",
                         DPS_QUOTE(name, strlen(name), 40),
                         nearest == NULL ? "" : "; did you mean ", nearest == NULL ? "" : nearest);
}

static dps_status check_operands(const dps_session *session, dps_error *err)
{
    const dps_command *command = session->command;
    size_t count = session->arguments.operand_count;
    if (count < command->fewest || count > command->most) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "expected dpsvm %s %s; see 'dpsvm help %s'",
                             command->name, command->operands, command->name);
    }
    bool trains = command->options == DPS_ACCEPTS_ALL;
    if (trains && count == 0) {
        for (size_t i = 0; i < session->arguments.assignment_count; i++) {
            if (strncmp(session->arguments.assignment[i], "data.train=", 11) == 0) {
                return DPS_OK;
            }
        }
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "%s needs a CONFIG, a data file or --data.train=FILE; see 'dpsvm help "
                             "%s'",
                             command->name, command->name);
    }
    return DPS_OK;
}

/* --help among the words of a command wins over everything else. */
static bool asks_for_help(int count, char **words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static dps_status run_command(dps_session *session, int count, char **words, dps_error *err)
{
    DPS_TRY(dps_ranks_join(session, count, words, err));
    dps_status status = dps_arguments_parse(&session->arguments, session->command->name,
                                            session->command->flags, count, words, err);
    DPS_THEN(status, check_operands(session, err));
    DPS_THEN(status, dps_session_options(session, err));
    if (status == DPS_OK && session->command->options == DPS_ACCEPTS_ALL &&
        session->arguments.flag[DPS_FLAG_OUTPUT] != NULL) {
        status = dps_options_set(&session->options, "output", "model",
                                 session->arguments.flag[DPS_FLAG_OUTPUT], "", NULL, 0, err);
    }
    status = dps_comm_agree(session->comm, status, err);
    if (status == DPS_OK) {
        status = dps_session_run(session, err);
        status = dps_comm_agree(session->comm, status, err);
    }
    DPS_THEN(status, dps_ranks_share(session, err));
    if (status == DPS_OK) {
        dps_session_probe_threads(session);
    }
    return status == DPS_OK ? session->command->run(session, err) : status;
}

static int exit_code(dps_status status, int signal)
{
    switch (status) {
    case DPS_OK:
        return 0;
    case DPS_ERROR_IO:
    case DPS_ERROR_MEMORY:
        return 1;
    case DPS_ERROR_CONFIG:
        return 2;
    case DPS_ERROR_DATA:
        return 3;
    case DPS_ERROR_NUMERIC:
        return 4;
    case DPS_ERROR_STOPPED:
        return 128 + signal;
    case DPS_ERROR_PAUSED:
        return 75; /* EX_TEMPFAIL of sysexits.h */
    case DPS_ERROR_CLOSED:
        return 141; /* as a shell tells of a program that SIGPIPE ended */
    }
    return 1;
}

/* A closed standard stream would lend its number to the next file opened, and messages would go
 * into a model: its place is held by a descriptor that fails when it is used. */
static void hold_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) == -1) {
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
        }
    }
}

static dps_status print_help(const dps_command *command, dps_error *err)
{
    dps_text text = {0};
    dps_help_command(command, &text);
    return dps_print_result(&text, err);
}

/* The error, for people. */
static void print_error(dps_session *session, const dps_error *err, dps_status status, int signal)
{
    char text[sizeof err->file + sizeof err->text + 128];
    dps_error_format(err, text, sizeof text);
    if (status == DPS_ERROR_STOPPED) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used,
                 " (signal %d); a result that was not complete is not written", signal);
    }
    dps_terminal_error(&session->terminal, text);
}

/* Ends what run_command began: the error told by one process, the same exit code on all. */
static int leave(dps_session *session, dps_status status, dps_error *err)
{
    int signal = 0;
    bool together = true;
    status = dps_ranks_leave(session, status, &signal, &together, err);
    dps_run_log_close(&session->run_log);
    dps_terminal_close(&session->terminal);
    if (status != DPS_OK && status != DPS_ERROR_CLOSED &&
        (!dps_ranks_silent(session) || !together)) {
        print_error(session, err, status, signal);
    }
    dps_options_release(&session->options);
    dps_arguments_release(&session->arguments);
    const int code = status == DPS_OK ? session->exit_code : exit_code(status, signal);
    if (!together) {
        dps_comm_abort(session->comm, code);
    }
    dps_comm_close(session->comm);
    return code;
}

int dps_cli_main(int argc, char **argv)
{
    dps_session session;
    dps_error err;
    dps_status status;
    hold_standard_streams();
    dps_signals_install();
    memset(&session, 0, sizeof session);
    memset(&err, 0, sizeof err);
    dps_terminal_init(&session.terminal, stderr, isatty(STDERR_FILENO), DPS_NORMAL);
    session.commands = table;
    session.launch = dps_launch_told();
    session.argv = argv;
    session.command = argc < 2 ? NULL : dps_command_find(table, argv[1]);
    const bool help = session.command != NULL && asks_for_help(argc - 2, argv + 2);
    if ((session.command == NULL || help || !session.command->over_ranks) &&
        session.launch.connected && session.launch.rank > 0) {
        return 0; /* the first process does it */
    }
    if (argc < 2) {
        dps_text usage = {0};
        dps_help_program(table, &usage);
        fputs(usage.data == NULL ? "usage: dpsvm COMMAND ...\n" : usage.data, stderr);
        dps_text_release(&usage);
        return exit_code(DPS_ERROR_CONFIG, 0);
    }
    status = session.command == NULL ? unknown_command(argv[1], &err)
             : help                  ? print_help(session.command, &err)
                                     : run_command(&session, argc - 2, argv + 2, &err);
    return leave(&session, status, &err);
}
