/* Task: completion for bash, made from the tables of commands, flags and options: words after
 * `dpsvm` are commands, `--` brings the flags of the command and the options it takes, all else is
 * a file. */
#include <string.h>
#include "help_topic.h"

static void add_flags(const dps_command *command, dps_text *out)
{
    const dps_flag_info *flags = dps_flag_table();
    for (size_t i = 0; i < DPS_FLAG_COUNT; i++) {
        if ((command->flags >> i & 1) != 0) {
            dps_text_format(out, " %s", flags[i].name);
        }
    }
}

static void add_options(const dps_command *command, dps_text *out)
{
    const dps_option_info *table = dps_option_table();
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        bool takes = command->options == DPS_ACCEPTS_ALL || strcmp(table[id].section, "run") == 0;
        for (const char *const *name = dps_session_reading();
             command->options == DPS_ACCEPTS_PREDICT && *name != NULL; name++) {
            takes = takes || strcmp(*name, table[id].name) == 0;
        }
        if (takes) {
            dps_text_format(out, " --%s=", table[id].name);
        }
    }
}

void dps_help_completion(const dps_command *commands, dps_text *out)
{
    dps_text_add(out, "# bash completion of dpsvm:  source <(dpsvm help completion)\n"
                      "_dpsvm() {\n"
                      "    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
                      "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                      "        words=\"");
    for (const dps_command *c = commands; c->name != NULL; c++) {
        dps_text_format(out, "%s%s", c == commands ? "" : " ", c->name);
    }
    dps_text_add(out, "\"\n"
                      "    elif [[ $word == -* ]]; then\n"
                      "        case ${COMP_WORDS[1]} in\n");
    for (const dps_command *c = commands; c->name != NULL; c++) {
        dps_text_format(out, "        %s) words=\"", c->name);
        add_flags(c, out);
        add_options(c, out);
        dps_text_add(out, "\" ;;\n");
    }
    dps_text_add(out, "        esac\n"
                      "    fi\n"
                      "    if [ -n \"$words\" ]; then\n"
                      "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                      "        case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac\n"
                      "    else\n"
                      "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                      "        compopt -o filenames\n"
                      "    fi\n"
                      "}\n"
                      "complete -F _dpsvm dpsvm\n");
}
