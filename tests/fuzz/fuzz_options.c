/* Texts "section.key=value", a line each, as the command line gives them: what is taken can be
 * written, and read back to the same; so can what tune varies. */
#include "fuzz_target.h"
#include "option_value.h"
#include "options.h"

static void check_error(const dps_error *err)
{
    FUZZ_HOLDS(err->status == DPS_ERROR_CONFIG || err->status == DPS_ERROR_IO, "status %d: %s",
               err->status, err->text);
    FUZZ_HOLDS(err->text[0] != '\0', "an empty message");
    for (const char *p = err->text; *p != '\0'; p++) {
        FUZZ_HOLDS((unsigned char)*p >= 32, "a control byte in the message: %s", err->text);
    }
}

static void read_back(const dps_options *options)
{
    dps_options again;
    dps_error err;
    FUZZ_HOLDS(dps_options_init(&again, &err) == DPS_OK, "%s", err.text);
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        dps_text value = {0}, second = {0};
        dps_options_value_text(options, (dps_option_id)id, &value);
        dps_text_add(&value, ""); /* an empty one, too, is a string */
        FUZZ_HOLDS(!value.failed, "memory");
        FUZZ_HOLDS(dps_option_set(&again, (dps_option_id)id, value.data, "", NULL, 0, &err) ==
                       DPS_OK,
                   "%s = %s is refused when read back: %s", dps_option_table()[id].name, value.data,
                   err.text);
        dps_options_value_text(&again, (dps_option_id)id, &second);
        FUZZ_HOLDS(fuzz_same(&value, &second), "%s = %s becomes %s", dps_option_table()[id].name,
                   value.data, second.data);
        dps_text_release(&value);
        dps_text_release(&second);
    }
    dps_options_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    dps_options options, copy;
    dps_error err;
    char *text = fuzz_string(bytes, length), *rest = NULL;
    if (text == NULL || dps_options_init(&options, &err) != DPS_OK) {
        free(text);
        return 0;
    }
    bool set = false;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (dps_options_set_text(&options, line, &err) == DPS_OK) {
            set = true;
        } else {
            check_error(&err);
        }
    }
    if (set) {
        read_back(&options);
        FUZZ_HOLDS(dps_options_copy(&options, &copy, &err) == DPS_OK, "%s", err.text);
        dps_options_release(&copy);
    }
    dps_options_release(&options);
    free(text);
    return 0;
}
