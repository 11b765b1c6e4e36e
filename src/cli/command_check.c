/* `dpsvm check`: everything `train` does before the solver; the effective options, as an INI, and
 * the plan go to standard output. */
#include <string.h>
#include "train.h"
#include "session.h"

/* Defaults are comments: some options act only where they are set. */
static void add_options(const dps_options *options, dps_text *out)
{
    const dps_option_info *table = dps_option_table();
    const char *section = "";
    dps_text_add(out, "# Effective options; those that were not set are comments.\n");
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        if (strcmp(section, table[id].section) != 0) {
            section = table[id].section;
            dps_text_format(out, "[%s]\n", section);
        }
        const dps_option_origin *origin = &options->origin[id];
        dps_text_format(out, "%s%s = ", origin->set ? "" : "# ", table[id].key);
        dps_options_value_text(options, (dps_option_id)id, out);
        if (origin->set && origin->file != NULL) {
            dps_text_format(out, "  # %s:%lld", origin->file, (long long)origin->line);
        } else if (origin->set) {
            dps_text_add(out, "  # command line");
        }
        dps_text_add(out, "\n");
    }
    dps_text_add(out, "\n");
}

dps_status dps_command_check(dps_session *session, dps_error *err)
{
    dps_train_result result;
    dps_text out = {0}, plan = {0};
    add_options(&session->options, &out);
    session->terminal.collect = &plan;
    if (session->terminal.log.level < DPS_NORMAL) {
        session->terminal.log.level = DPS_NORMAL; /* the plan is the result, also with -q */
    }
    dps_session_announce(session);
    dps_status status = dps_train(&session->options, true, NULL, &session->run, &result, err);
    session->terminal.collect = NULL;
    if (status == DPS_OK) {
        /* comments, so that the whole is an INI that can be kept */
        char *rest = plan.data;
        for (char *line = plan.failed ? NULL : strtok_r(plan.data, "\n", &rest); line != NULL;
             line = strtok_r(NULL, "\n", &rest)) {
            dps_text_format(&out, "# %s\n", line);
        }
        out.failed = out.failed || plan.failed;
        dps_train_result_release(&result);
        status = dps_print_result(&out, err);
    }
    dps_text_release(&plan);
    dps_text_release(&out);
    return status;
}
