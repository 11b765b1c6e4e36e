/* Task: completion for bash and zsh, made from the tables of commands, flags and options. Both
 * scripts have the same three functions, which put words into $found: what may begin with a dash
 * after a command, what a flag or option takes, and a command's operands. FILES and MODELS stand
 * for files, and "-" for a value that no list holds. What is different is how a shell asks. */
#include <string.h>
#include "help_topic.h"
#include "names.h"
#include "search_values.h"

static void add_dashed(const dps_command *command, dps_text *out)
{
    const dps_flag_info *flags = dps_flag_table();
    dps_text_format(out, "    %s) found=\"", command->name);
    for (size_t i = 0; i < DPS_FLAG_COUNT; i++) {
        if ((command->flags >> i & 1) != 0) {
            dps_text_format(out, "%s ", flags[i].name);
        }
    }
    if (command->options == DPS_ACCEPTS_ALL) {
        dps_text_add(out, "$options");
    }
    for (int id = 0; id < DPS_OPTION_COUNT && command->options != DPS_ACCEPTS_ALL; id++) {
        if (dps_command_takes(command, id)) {
            dps_text_format(out, "--%s= ", dps_option_table()[id].name);
        }
    }
    dps_text_format(out, "%s\" ;;\n", strcmp(command->name, "tune") == 0 ? " $searched" : "");
}

static void add_all_dashed(const dps_command *commands, dps_text *out)
{
    const dps_option_info *table = dps_option_table();
    dps_text_add(out, "_dpsvm_dashed() { # COMMAND\n    local options searched\n    options=\"");
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        dps_text_format(out, "%s--%s=", id == 0 ? "" : " ", table[id].name);
    }
    dps_text_add(out, "\"\n    searched=\"");
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        if (dps_option_is_searchable((dps_option_id)id)) {
            dps_text_format(out, " --tune.%s=", table[id].name);
        }
    }
    dps_text_add(out, "\"\n    case $1 in\n");
    for (const dps_command *c = commands; c->name != NULL; c++) {
        add_dashed(c, out);
    }
    dps_text_add(out, "    esac\n}\n\n");
}

static void add_option_values(const dps_option_info *row, dps_text *out)
{
    static const char *const files[] = {"PATH", "PATHS", NULL};
    /* a word, or a file */
    static const char *const words_of_files[] = {"data.validation", "data.weights", NULL};
    dps_text_format(out, "    *' --%s') found=\"", row->name);
    unsigned k;
    if (dps_name_find(files, row->type, strlen(row->type), &k) ||
        dps_name_find(words_of_files, row->name, strlen(row->name), &k)) {
        dps_text_add(out, "FILES");
    } else if (strcmp(row->type, "FLAG") == 0) {
        dps_text_add(out, "on off");
    } else if (row->choices[0] != '\0') {
        for (const char *c = row->choices; *c != '\0'; c += strlen(c) + 1) {
            dps_text_format(out, "%s%s", c == row->choices ? "" : " ", c);
        }
    } else {
        dps_text_add(out, "-");
    }
    dps_text_add(out, "\" ;;\n");
}

static void add_flag_values(const dps_flag_info *flag, dps_text *out)
{
    if (flag->value_name == NULL) {
        return;
    }
    for (const char *c = flag->choices; c != NULL && *c != '\0'; c += strlen(c) + 1) {
        const size_t command = strcspn(c, " ");
        dps_text_format(out, "    '%.*s %s') found=\"%s\" ;;\n", (int)command, c, flag->name,
                        c + command + 1);
    }
    const bool file =
        strncmp(flag->value_name, "FILE", 4) == 0 || strcmp(flag->value_name, "OUT") == 0;
    dps_text_format(out, "    *' %s'", flag->name);
    if (flag->short_name != NULL) {
        dps_text_format(out, " | *' %s'", flag->short_name);
    }
    dps_text_format(out, ") found=\"%s\" ;;\n", file ? "FILES" : "-");
}

static void add_values(dps_text *out)
{
    dps_text_add(out, "_dpsvm_values() { # COMMAND FLAG-OR-OPTION\n"
                      "    local key=$2\n"
                      "    case $key in --tune.*.*) key=--${key#--tune.} ;; esac\n"
                      "    case \"$1 $key\" in\n");
    for (size_t i = 0; i < DPS_FLAG_COUNT; i++) {
        add_flag_values(&dps_flag_table()[i], out);
    }
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        add_option_values(&dps_option_table()[id], out);
    }
    dps_text_add(out, "    *' --'*.*) found=- ;;\n    esac\n}\n\n");
}

/* The words in the first brackets of "[data | features] [--run.threads=N]"; names in capitals are
 * what stands behind them. */
static void add_operand_words(const dps_command *commands, const dps_command *command,
                              dps_text *out)
{
    const char *end = command->operands + strcspn(command->operands, "]");
    for (const char *word = command->operands + 1; word < end; word += strspn(word, " |")) {
        const size_t length = strcspn(word, " |]");
        if (*word >= 'a') {
            dps_text_format(out, "%.*s ", (int)length, word);
        }
        for (const dps_command *c = commands;
             length == 7 && memcmp(word, "COMMAND", 7) == 0 && c->name != NULL; c++) {
            dps_text_format(out, "%s ", c->name);
        }
        const bool option = length == 6 && memcmp(word, "OPTION", 6) == 0;
        for (int id = 0; id < DPS_OPTION_COUNT && option; id++) {
            const dps_option_info *row = &dps_option_table()[id];
            const bool opens = id == 0 || strcmp(row->section, row[-1].section) != 0;
            dps_text_format(out, "%s%s%s ", opens ? row->section : "", opens ? " " : "", row->name);
        }
        word += length;
    }
}

static void add_operands(const dps_command *commands, dps_text *out)
{
    dps_text_add(out, "_dpsvm_operands() { # COMMAND WORD-BEFORE\n"
                      "    case \"$1 $2\" in\n"
                      "    'help completion') found='bash zsh'; return ;;\n"
                      "    'help man') found=\"$_dpsvm_commands config\"; return ;;\n"
                      "    esac\n"
                      "    case $1 in\n");
    for (const dps_command *c = commands; c->name != NULL; c++) {
        dps_text_format(out, "    %s) ", c->name);
        if (c->most == 0) {
            dps_text_add(out, "found=-");
        } else if (strncmp(c->operands, "MODEL", 5) == 0) {
            dps_text_format(out, "found=FILES; [ \"$2\" != %s ] || found=MODELS", c->name);
        } else if (strcspn(c->operands, "|") < strcspn(c->operands, "]")) {
            dps_text_format(out, "found=-; [ \"$2\" != %s ] || found=\"", c->name);
            add_operand_words(commands, c, out);
            dps_text_add(out, "\"");
        } else {
            dps_text_add(out, "found=FILES");
        }
        dps_text_add(out, " ;;\n");
    }
    dps_text_add(out, "    esac\n}\n\n");
}

/* Bash cuts words at = and gives what is after it as a word of its own. */
static const char bash_end[] =
    "_dpsvm() {\n"
    "    local found='' key='' front='' word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
    "    local before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        found=$_dpsvm_commands\n"
    "    elif [ \"$word\" = = ]; then\n"
    "        key=$before word=''\n"
    "    elif [ \"$before\" = = ]; then\n"
    "        key=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    elif [[ $word == --*=* ]]; then\n"
    "        key=${word%%=*} front=$key= word=${word#*=}\n"
    "    elif [[ $before == -* ]]; then\n"
    "        key=$before\n"
    "    fi\n"
    "    [ -z \"$key\" ] || _dpsvm_values \"$command\" \"$key\"\n"
    "    if [ -z \"$found\" ]; then\n"
    "        if [[ $word == -* ]]; then _dpsvm_dashed \"$command\"\n"
    "        else _dpsvm_operands \"$command\" \"$before\"; fi\n"
    "    fi\n"
    "    case $found in\n"
    "    -) return ;;\n"
    "    MODELS)\n"
    "        compopt -o filenames\n"
    "        mapfile -t COMPREPLY < <(compgen -f -X '!*.dpsvm' -- \"$word\"; compgen -d -- "
    "\"$word\")\n"
    "        [ ${#COMPREPLY[@]} -eq 0 ] || return\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
    "    FILES)\n"
    "        compopt -o filenames\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"$front\" -f -- \"$word\") ;;\n"
    "    *)\n"
    "        case $word in *,*) front=$front${word%,*}, word=${word##*,} ;; esac\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"$front\" -W \"$found\" -- \"$word\")\n"
    "        case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _dpsvm dpsvm\n";

static const char zsh_end[] =
    "_dpsvm() {\n"
    "    local found='' key='' before=$words[CURRENT-1] command=$words[2]\n"
    "    if (( CURRENT == 2 )); then\n"
    "        _describe command _dpsvm_described\n"
    "        return\n"
    "    elif [[ $PREFIX == --*=* ]]; then\n"
    "        key=${PREFIX%%=*}\n"
    "        compset -P '*='\n"
    "    elif [[ $before == -* ]]; then\n"
    "        key=$before\n"
    "    fi\n"
    "    [[ -z $key ]] || _dpsvm_values $command $key\n"
    "    if [[ -z $found ]]; then\n"
    "        if [[ $PREFIX == -* ]]; then _dpsvm_dashed $command\n"
    "        else _dpsvm_operands $command $before; fi\n"
    "    fi\n"
    "    case $found in\n"
    "    -) return 1 ;;\n"
    "    MODELS) _files -g '*.dpsvm' || _files ;;\n"
    "    FILES) _files ;;\n"
    "    *)\n"
    "        compset -P '*,'\n"
    "        local -a all=(${=found}) open\n"
    "        open=(${(M)all:#*=})\n"
    "        compadd -- ${all:#*=}\n"
    "        compadd -S '' -- $open ;;\n"
    "    esac\n"
    "}\n"
    "# as a file of $fpath it is the function's first call; else it is sourced\n"
    "if [[ $funcstack[1] == _dpsvm ]]; then _dpsvm \"$@\"; else compdef _dpsvm dpsvm; fi\n";

static void add_zsh_commands(const dps_command *commands, dps_text *out)
{
    dps_text_add(out, "typeset -ga _dpsvm_described=(\n");
    for (const dps_command *c = commands; c->name != NULL; c++) {
        dps_text_format(out, "    \"%s:%s\"\n", c->name, c->summary);
    }
    dps_text_add(out, ")\n");
}

dps_status dps_help_completion(const dps_command *commands, const char *shell, dps_text *out,
                               dps_error *err)
{
    const bool zsh = shell != NULL && strcmp(shell, "zsh") == 0;
    if (shell != NULL && !zsh && strcmp(shell, "bash") != 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG, "help completion %s: expected bash or zsh",
                             DPS_QUOTE(shell, strlen(shell), 40));
    }
    dps_text_format(out, "%s completion of dpsvm:  source <(dpsvm help completion%s)\n",
                    zsh ? "#compdef dpsvm\n# zsh" : "# bash", zsh ? " zsh" : "");
    dps_text_add(out, "_dpsvm_commands=\"");
    for (const dps_command *c = commands; c->name != NULL; c++) {
        dps_text_format(out, "%s%s", c == commands ? "" : " ", c->name);
    }
    dps_text_add(out, "\"\n\n");
    add_all_dashed(commands, out);
    add_values(out);
    add_operands(commands, out);
    if (zsh) {
        add_zsh_commands(commands, out);
    }
    dps_text_add(out, zsh ? zsh_end : bash_end);
    return DPS_OK;
}
