/* `dpsvm help`: made from the tables of commands, flags and options. */
#include <string.h>
#include "help_topic.h"
#include "option_value.h"
#include "peer_words.h"
#include "session.h"

const dps_command *dps_command_find(const dps_command *commands, const char *name)
{
    static const char *const other_names[][2] = {
        {"-h", "help"}, {"--help", "help"}, {"-V", "version"}, {"--version", "version"}};
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++) {
        if (strcmp(name, other_names[i][0]) == 0) {
            name = other_names[i][1];
        }
    }
    for (const dps_command *c = commands; c->name != NULL; c++) {
        if (strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}

static void add_usage(const dps_command *command, dps_text *out)
{
    dps_text_format(out, "dpsvm %s%s%s", command->name, command->operands[0] == '\0' ? "" : " ",
                    command->operands);
}

static const char program_text[] =
    "dpsvm " DPSVM_VERSION ": trains linear SVMs on random features of dot-product kernels.\n"
    "\n"
    "usage: dpsvm COMMAND ...\n"
    "\n";

static const char program_end[] =
    "\n"
    "A config of two lines trains a good model:\n"
    "\n"
    "    [data]\n"
    "    train = rows.svm\n"
    "\n"
    "    dpsvm train config.ini            writes model.dpsvm\n"
    "    dpsvm predict model.dpsvm file    one label a line\n"
    "\n"
    "Every option of the config can be given as --section.key=value, which wins over the file.\n"
    "dpsvm help COMMAND: its flags.  dpsvm help config: a config with all options and defaults.\n"
    "dpsvm help options: the same as a page, with the rules of the file.\n"
    "dpsvm help solver.C, help data: an option, a section.  dpsvm help words: what LIBSVM,\n"
    "LIBLINEAR, scikit-learn and XGBoost call it, and what differs.  dpsvm help completion: for\n"
    "bash, as in: source <(dpsvm help completion); help completion zsh: for zsh.\n"
    "dpsvm help man train | man -l -: the manual page of a command, also of dpsvm and config.\n";

const dps_exit_code *dps_help_exit_codes(void)
{
    static const dps_exit_code codes[] = {{"0", "done"},
                                          {"1", "files or memory"},
                                          {"2", "usage or configuration"},
                                          {"3", "bad data"},
                                          {"4", "arithmetic"},
                                          {"75", "stopped with a checkpoint saved"},
                                          {"130 or 143", "stopped without one"},
                                          {"141", "nobody reads the output"},
                                          {NULL, NULL}};
    return codes;
}

static void add_exit_codes(dps_text *out)
{
    dps_text line = {0};
    for (const dps_exit_code *c = dps_help_exit_codes(); c->code != NULL; c++) {
        dps_text_format(&line, "%s %s%s", c->code, c->meaning, c[1].code == NULL ? "." : ", ");
    }
    dps_help_wrapped(out, "Exit codes:", 0, line.failed ? "" : line.data);
    dps_text_release(&line);
}

void dps_help_program(const dps_command *commands, dps_text *out)
{
    dps_text_add(out, program_text);
    for (const dps_command *c = commands; c->name != NULL; c++) {
        dps_text_format(out, "    %-10s %s\n", c->name, c->summary);
    }
    dps_text_add(out, program_end);
    add_exit_codes(out);
}

enum { FLAG_COLUMN = 25 };

static void add_flags(const dps_command *command, dps_text *out)
{
    const dps_flag_info *flags = dps_flag_table();
    for (size_t i = 0; i < DPS_FLAG_COUNT; i++) {
        if ((command->flags >> i & 1) == 0) {
            continue;
        }
        dps_text left = {0};
        dps_text_format(&left, "    %s%s%s%s%s",
                        flags[i].short_name == NULL ? "" : flags[i].short_name,
                        flags[i].short_name == NULL ? "" : ", ", flags[i].name,
                        flags[i].value_name == NULL ? "" : " ",
                        flags[i].value_name == NULL ? "" : flags[i].value_name);
        dps_text_add(&left, " ");
        dps_help_wrapped(out, left.data == NULL ? "" : left.data, FLAG_COLUMN, flags[i].help);
        dps_text_release(&left);
    }
}

static void add_options(dps_accepts accepts, dps_text *out)
{
    switch (accepts) {
    case DPS_ACCEPTS_RUN:
        dps_text_add(out, "--run.KEY=VALUE\n");
        break;
    case DPS_ACCEPTS_PREDICT:
        dps_text_add(out, "each as --section.key=value:\n");
        for (const char *const *name = dps_session_reading(); *name != NULL; name++) {
            dps_text_format(out, "    --%s\n", *name);
        }
        dps_text_add(out, "    --run.KEY\n");
        break;
    case DPS_ACCEPTS_ALL:
        dps_text_add(out, "every option, as --section.key=value; 'dpsvm help config' lists them\n");
        break;
    }
}

void dps_help_command(const dps_command *command, dps_text *out)
{
    dps_text_add(out, "usage: ");
    add_usage(command, out);
    dps_text_format(out, "\n\n%s\n\nflags:\n", command->text);
    add_flags(command, out);
    dps_text_add(out, "\noptions: ");
    add_options(command->options, out);
    if (dps_options_check_section(command->name, NULL, 0, NULL) == DPS_OK) {
        dps_text_format(out, "'dpsvm help [%s]': the options of that section\n", command->name);
    }
}

dps_status dps_command_help(dps_session *session, dps_error *err)
{
    const dps_arguments *arguments = &session->arguments;
    const char *topic = arguments->operand_count == 0 ? NULL : arguments->operand[0];
    const char *second = arguments->operand_count < 2 ? NULL : arguments->operand[1];
    const dps_command *command = topic == NULL ? NULL : dps_command_find(session->commands, topic);
    dps_text text = {0};
    if (second != NULL && strcmp(topic, "completion") != 0 && strcmp(topic, "man") != 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "expected one word, or completion or man and another, found %s %s",
                             DPS_QUOTE(topic, strlen(topic), 40),
                             DPS_QUOTE(second, strlen(second), 40));
    }
    if (topic == NULL) {
        dps_help_program(session->commands, &text);
    } else if (command != NULL) {
        dps_help_command(command, &text);
    } else if (strcmp(topic, "config") == 0) {
        dps_options_default_ini(&text);
    } else if (strcmp(topic, "options") == 0) {
        dps_options_markdown(&text);
    } else if (strcmp(topic, "completion") == 0) {
        DPS_TRY(dps_help_completion(session->commands, second, &text, err));
    } else if (strcmp(topic, "man") == 0) {
        DPS_TRY(dps_help_man(session->commands, second, &text, err));
    } else if (strcmp(topic, "words") == 0) {
        dps_peer_words_markdown(&text);
    } else {
        DPS_TRY(dps_help_topic(topic, &text, err));
    }
    return dps_print_result(&text, err);
}
