/* Task: manual pages in roff (man macros), made from the tables of commands, flags and options:
 * dpsvm(1), dpsvm-COMMAND(1) and dpsvm.ini(5). dpsvm-model(5) is docs/model_format.md, converted
 * when the program is built (src/man/markdown_to_man.awk). */
#include <string.h>
#include "help_topic.h"
#include "options.h"
#include "peer_words.h"

/* Text of a table. What roff would take for its own is escaped, code in backquotes is bold, and
 * blanks after a line end are no indentation. */
static void add_text(dps_text *out, const char *text)
{
    bool code = false, line_begins = true;
    for (const char *c = text; *c != '\0'; c++) {
        const char letter[] = {*c, '\0'};
        if (line_begins && *c == ' ') {
            continue;
        }
        if (line_begins && (*c == '.' || *c == '\'')) {
            dps_text_add(out, "\\&");
        }
        line_begins = *c == '\n';
        switch (*c) {
        case '`':
            code = !code;
            dps_text_add(out, code ? "\\fB" : "\\fR");
            break;
        case '\\':
            dps_text_add(out, "\\e");
            break;
        case '-':
            dps_text_add(out, "\\-");
            break;
        case '^':
            dps_text_add(out, "\\(ha");
            break;
        case '~':
            dps_text_add(out, "\\(ti");
            break;
        case '\'':
            dps_text_add(out, "\\(aq");
            break;
        default:
            dps_text_add(out, letter);
        }
    }
}

/* A line of them, for a tag or a paragraph. */
static void add_line(dps_text *out, const char *before, const char *text, const char *after)
{
    dps_text_add(out, before);
    add_text(out, text);
    dps_text_add(out, after);
}

static void add_head(dps_text *out, const char *title, const char *section, const char *name,
                     const char *summary)
{
    dps_text_format(out, ".\\\" Made by dpsvm help man.\n.TH %s %s %s \"dpsvm %s\" \"%s\"\n", title,
                    section, DPSVM_RELEASED, DPSVM_VERSION, "dpsvm manual");
    add_line(out, ".SH NAME\n", name, "");
    add_line(out, " \\- ", summary, "\n");
}

static void add_upper(dps_text *out, const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        const char letter[] = {(char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c), '\0'};
        dps_text_add(out, letter);
    }
}

/* "dpsvm-train", in letters of a title too. */
static void add_command_head(dps_text *out, const dps_command *command)
{
    dps_text title = {0}, name = {0};
    dps_text_add(&title, "DPSVM\\-");
    add_upper(&title, command->name);
    dps_text_format(&name, "dpsvm-%s", command->name);
    if (!title.failed && !name.failed) {
        add_head(out, title.data, "1", name.data, command->summary);
    }
    dps_text_release(&title);
    dps_text_release(&name);
}

static void add_synopsis(dps_text *out, const dps_command *command)
{
    dps_text_format(out, ".SH SYNOPSIS\n.B dpsvm %s\n", command->name);
    if (command->operands[0] != '\0') {
        add_line(out, "", command->operands, "\n");
    }
}

static void add_flags(dps_text *out, const dps_command *command)
{
    const dps_flag_info *flags = dps_flag_table();
    for (size_t i = 0; i < DPS_FLAG_COUNT; i++) {
        if ((command->flags >> i & 1) == 0) {
            continue;
        }
        dps_text_add(out, ".TP\n");
        if (flags[i].short_name != NULL) {
            add_line(out, "\\fB", flags[i].short_name, "\\fR, ");
        }
        add_line(out, "\\fB", flags[i].name, "\\fR");
        if (flags[i].value_name != NULL) {
            add_line(out, " \\fI", flags[i].value_name, "\\fR");
        }
        add_line(out, "\n", flags[i].help, "\n");
    }
}

/* What an option is, what it takes, and what others call it. */
static void add_option(dps_text *out, int id, const char *before_name)
{
    const dps_option_info *row = &dps_option_table()[id];
    dps_text expected = {0}, peers = {0};
    const bool changes = row->effect == DPS_EFFECT_MODEL || row->effect == DPS_EFFECT_ROWS;
    dps_option_expected((dps_option_id)id, &expected);
    dps_peer_words_of((dps_option_id)id, &peers);
    dps_text_format(out, ".TP\n\\fB%s", before_name[0] == '-' ? "\\-\\-" : "");
    add_line(out, "", before_name[0] == '-' ? row->name : row->key, "\\fR = ");
    dps_text_add(out, row->default_text[0] == '\0' ? "(none)" : "");
    add_line(out, "", row->default_text, "\n");
    add_line(out, "", row->help, ".\n");
    add_line(out, "Takes ", expected.failed || expected.length == 0 ? "" : expected.data, ".\n");
    dps_text_add(out, changes ? "The model depends on it.\n" : "");
    if (peers.length > 0 && !peers.failed) {
        add_line(out, "Elsewhere: ", peers.data, ".\n");
    }
    dps_text_release(&peers);
    dps_text_release(&expected);
}

static void add_command_options(dps_text *out, const dps_command *command)
{
    const bool all = command->options == DPS_ACCEPTS_ALL;
    dps_text_add(out, ".SH \"OPTIONS OF THE CONFIGURATION\"\n");
    dps_text_add(out, all ? "Every option of\n.BR dpsvm.ini (5)\ncan be given as\n"
                            ".BI \\-\\-section.key= value\\fR.\n"
                          : "Given as\n.BI \\-\\-section.key= value\\fR,\nwith their defaults; "
                            "more of them is in\n.BR dpsvm.ini (5).\n");
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        const bool own = strcmp(dps_option_table()[id].section, command->name) == 0;
        if (all ? own : dps_command_takes(command, id)) {
            add_option(out, id, "--");
        }
    }
}

static void add_exit_codes(dps_text *out)
{
    dps_text_add(out, ".SH \"EXIT STATUS\"\n");
    for (const dps_exit_code *c = dps_help_exit_codes(); c->code != NULL; c++) {
        dps_text_format(out, ".TP\n%s\n%s\n", c->code, c->meaning);
    }
}

/* All pages but the one that says it. */
static void add_see_also(dps_text *out, const dps_command *commands, const char *but)
{
    dps_text_format(out, ".SH \"SEE ALSO\"\n%s",
                    strcmp(but, "dpsvm") == 0 ? "" : ".BR dpsvm (1),\n");
    for (const dps_command *c = commands; c->name != NULL; c++) {
        if (strcmp(c->name, but) != 0) {
            dps_text_format(out, ".BR dpsvm\\-%s (1),\n", c->name);
        }
    }
    dps_text_format(out, "%s.BR dpsvm\\-model (5)\n",
                    strcmp(but, "config") == 0 ? "" : ".BR dpsvm.ini (5),\n");
}

static void add_command_page(dps_text *out, const dps_command *commands, const dps_command *command)
{
    add_command_head(out, command);
    add_synopsis(out, command);
    add_line(out, ".SH DESCRIPTION\n", command->text, "\n");
    dps_text_add(out, ".SH OPTIONS\n");
    add_flags(out, command);
    add_command_options(out, command);
    add_exit_codes(out);
    add_see_also(out, commands, command->name);
}

static void add_program_page(dps_text *out, const dps_command *commands)
{
    add_head(out, "DPSVM", "1", "dpsvm", "linear SVMs on random features of dot-product kernels");
    dps_text_add(out, ".SH SYNOPSIS\n.B dpsvm\n.I COMMAND\n.RI [ operands ]\n.RI [ flags ]\n"
                      ".RI [ \\-\\-section.key=value \"] ...\"\n"
                      ".SH DESCRIPTION\n"
                      "Maps rows through random features, trains a linear support vector machine "
                      "on them and writes a model that holds the weights and the seed of the map. "
                      "A configuration of two lines trains a good model:\n"
                      ".PP\n.nf\n.RS\n[data]\ntrain = rows.svm\n.RE\n.fi\n.PP\n.nf\n.RS\n"
                      "dpsvm train config.ini\ndpsvm predict model.dpsvm rows.svm\n.RE\n.fi\n"
                      ".SH COMMANDS\n");
    for (const dps_command *c = commands; c->name != NULL; c++) {
        dps_text_format(out, ".TP\n.BR dpsvm\\-%s (1)\n", c->name);
        add_line(out, "", c->summary, "\n");
    }
    dps_text_add(out, ".SH FILES\n.TP\n.I model.dpsvm\nthe model,\n.BR dpsvm\\-model (5)\n"
                      ".TP\n.I *.ini\nconfigurations,\n.BR dpsvm.ini (5)\n");
    add_exit_codes(out);
    add_see_also(out, commands, "dpsvm");
}

static void add_config_page(dps_text *out, const dps_command *commands)
{
    const dps_option_info *table = dps_option_table();
    add_head(out, "DPSVM.INI", "5", "dpsvm.ini", "configuration of dpsvm");
    dps_text_add(out, ".SH DESCRIPTION\nSections of lines \\fIkey\\fR = \\fIvalue\\fR. Every "
                      "option can also be given on the command line, as "
                      "\\fB\\-\\-section.key=value\\fR, which wins over the file. Every option "
                      "has a default, which is shown beside it.\n");
    for (const char *const *rule = dps_options_ini_rules(); *rule != NULL; rule++) {
        add_line(out, ".IP \\(bu 2\n", *rule, "\n");
    }
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        const char *section = table[id].section;
        if (id == 0 || strcmp(section, table[id - 1].section) != 0) {
            dps_text_format(out, ".SH \"[%s]\"\n", section);
            add_line(out, "", dps_options_section_title(section), ".\n");
        }
        add_option(out, id, "");
    }
    add_see_also(out, commands, "config");
}

/* Lines of text are cut at blanks, as manual pages are; where roff would take a rest for a request
 * it is kept from that. */
static void add_folded(dps_text *out, const char *page)
{
    enum { WIDTH = 78 };
    while (*page != '\0') {
        size_t length = strcspn(page, "\n");
        size_t cut = length;
        for (size_t i = 0; *page != '.' && length > WIDTH && i < WIDTH; i++) {
            cut = page[i] == ' ' ? i : cut;
        }
        dps_text_append(out, page, cut);
        page += cut == length && page[length] == '\0' ? length : cut + 1;
        dps_text_add(out, cut < length && *page == '.' ? "\n\\&" : "\n");
    }
}

static dps_status add_page(const dps_command *commands, const char *page, dps_text *out,
                           dps_error *err)
{
    const dps_command *command = page == NULL ? NULL : dps_command_find(commands, page);
    if (page == NULL || strcmp(page, "dpsvm") == 0) {
        add_program_page(out, commands);
    } else if (strcmp(page, "config") == 0) {
        add_config_page(out, commands);
    } else if (command != NULL) {
        add_command_page(out, commands, command);
    } else {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "no manual page of %s; expected dpsvm, config or a command",
                             DPS_QUOTE(page, strlen(page), 40));
    }
    return DPS_OK;
}

dps_status dps_help_man(const dps_command *commands, const char *page, dps_text *out,
                        dps_error *err)
{
    dps_text whole = {0};
    const dps_status status = add_page(commands, page, &whole, err);
    if (whole.data != NULL) {
        add_folded(out, whole.data);
    }
    out->failed = out->failed || whole.failed;
    dps_text_release(&whole);
    return status;
}
