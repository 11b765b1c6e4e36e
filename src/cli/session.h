/* One run of a command: its words, options, and what long work needs. */
#ifndef DPS_SESSION_H
#define DPS_SESSION_H

#include "arguments.h"
#include "comm.h"
#include "job_limits.h"
#include "launch.h"
#include "options.h"
#include "run.h"
#include "run_log.h"
#include "terminal.h"

typedef enum dps_accepts {
    DPS_ACCEPTS_RUN,     /* run.* */
    DPS_ACCEPTS_PREDICT, /* also how rows are read, and output.report */
    DPS_ACCEPTS_ALL      /* every option */
} dps_accepts;

typedef struct dps_session dps_session;

typedef struct dps_command {
    const char *name;
    const char *operands; /* for the usage line */
    const char *summary;  /* one line of the list of commands */
    const char *text;     /* the rest of its help */
    unsigned flags;       /* DPS_TAKES(...) */
    size_t fewest, most;  /* operands */
    dps_accepts options;
    bool over_ranks; /* several processes of a launch do it together; else the first alone */
    dps_status (*run)(dps_session *session, dps_error *err);
} dps_command;

struct dps_session {
    const dps_command *commands; /* all of them, ended by a row without a name */
    const dps_command *command;
    dps_arguments arguments;
    dps_options options; /* defaults, INI, command line */
    dps_limit threads, memory;
    dps_run run;
    dps_terminal terminal;
    dps_run_log run_log;
    dps_launch launch;
    dps_comm *comm; /* also in run */
    int exit_code;  /* of a run without error; 0 unless the command sets it */
    char **argv;    /* main's */
};

/* Fills options: defaults, then the INI or data file that is the operand of train and check, then
 * the command line. Refuses options that the command does not take. */
DPS_MUST_USE dps_status dps_session_options(dps_session *session, dps_error *err);
/* Threads, SIMD path, memory and log from the options. */
DPS_MUST_USE dps_status dps_session_run(dps_session *session, dps_error *err);
/* Fewer threads, with a warning, where the system refuses some; after the ranks have shared. */
void dps_session_probe_threads(dps_session *session);
/* One line for people: program, threads, SIMD path and memory, with their sources. */
void dps_session_announce(const dps_session *session);

/* Options that the command takes as it was called: of a model, where operands follow the first. */
dps_accepts dps_session_accepts(const dps_session *session);
/* Options besides [run] of DPS_ACCEPTS_PREDICT, "section.key" each; NULL ends them. */
const char *const *dps_session_reading(void);

/* Writes a result to standard output and releases the text. */
DPS_MUST_USE dps_status dps_print_result(dps_text *text, dps_error *err);

/* Whether the file's first line that is not blank or a comment is a [section] or `key = value`, or
 * its name ends in .ini. What is not a regular file is an INI by its name only. */
DPS_MUST_USE dps_status dps_is_config(const char *path, bool *is_config, dps_error *err);

/* One function a command, one file each. */
DPS_MUST_USE dps_status dps_command_train(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_check(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_tune(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_evaluate(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_predict(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_transform(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_info(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_export(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_kernel(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_bench(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_help(dps_session *session, dps_error *err);
DPS_MUST_USE dps_status dps_command_version(dps_session *session, dps_error *err);

/* The command of this name, -h or --version; or NULL. */
const dps_command *dps_command_find(const dps_command *commands, const char *name);
/* Whether the command takes --section.key=value of this option (dps_option_id). */
bool dps_command_takes(const dps_command *command, int option);
/* Usage of the program, or of one command. */
void dps_help_program(const dps_command *commands, dps_text *out);
void dps_help_command(const dps_command *command, dps_text *out);

#endif
