/* INI files: options, or an error with a line of the file; what it set,
 * written as a file of its own, is read back to the same. */
#include "fuzz_target.h"
#include "options.h"

/* Those that `set` has from its file: a path is beside the file there, and where it is a default,
 * in the current folder. */
static void write_ini(const dps_options *options, const dps_options *set, dps_text *out)
{
    const dps_option_info *table = dps_option_table();
    const char *section = "";
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        if (strcmp(section, table[id].section) != 0) {
            section = table[id].section;
            dps_text_format(out, "[%s]\n", section);
        }
        if (set->origin[id].set) {
            dps_text_format(out, "%s = ", table[id].key);
            dps_options_value_text(options, (dps_option_id)id, out);
            dps_text_add(out, "\n");
        }
    }
}

static void read_back(const dps_options *options)
{
    dps_options again;
    dps_error err;
    char path[300];
    dps_text first = {0}, second = {0};
    write_ini(options, options, &first);
    fuzz_put(fuzz_path(path, "again.ini"), first.data, first.length);
    FUZZ_HOLDS(dps_options_init(&again, &err) == DPS_OK, "%s", err.text);
    FUZZ_HOLDS(dps_options_read(&again, path, &err) == DPS_OK, "line %lld is refused: %s\n%s",
               (long long)err.line, err.text, first.data);
    write_ini(&again, options, &second);
    FUZZ_HOLDS(fuzz_same(&first, &second), "%s\nis read back as\n%s", first.data, second.data);
    dps_text_release(&first);
    dps_text_release(&second);
    dps_options_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    dps_options options;
    dps_error err;
    char path[300];
    fuzz_put(fuzz_path(path, "in.ini"), bytes, length);
    if (dps_options_init(&options, &err) != DPS_OK) {
        return 0;
    }
    if (dps_options_read(&options, path, &err) == DPS_OK) {
        read_back(&options);
    } else {
        int64_t lines = 1;
        for (size_t i = 0; i < length; i++) {
            lines += bytes[i] == '\n';
        }
        FUZZ_HOLDS(err.status == DPS_ERROR_CONFIG && err.line >= 0 && err.line <= lines &&
                       err.text[0] != '\0',
                   "status %d, line %lld of %lld: %s", err.status, (long long)err.line,
                   (long long)lines, err.text);
    }
    dps_options_release(&options);
    return 0;
}
