/* Every option that is a choice, against the one table of names beside the enum that it becomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "settings.h"
#include "tune_space.h"

/* more: the word of the option that is no value of the enum; other: how many values no word stands
 * for. */
static const struct {
    dps_option_id id;
    const char *const *names; /* NULL: told apart where options become settings, nowhere else */
    const char *more;
    size_t other;
    const char *const *also; /* words that stand for another option's */
} choices[] = {{DPS_OPT_data_format, dps_format_names, "auto", 0, NULL},
               {DPS_OPT_data_header, dps_switch_names, "", 0, NULL},
               {DPS_OPT_data_decimal, NULL, "", 0, NULL},
               {DPS_OPT_data_categorical, dps_categorical_names, "", 0, NULL},
               {DPS_OPT_data_missing, dps_missing_names, "", 0, NULL},
               {DPS_OPT_data_unknown, NULL, "", 0, NULL},
               {DPS_OPT_data_scaling, dps_scaling_names, "", 0, NULL},
               {DPS_OPT_data_normalize, dps_normalize_names, "", 0, NULL},
               {DPS_OPT_kernel_type, dps_kernel_names, "auto", 0, dps_base_names},
               {DPS_OPT_map_type, dps_map_type_names, "auto", 0, NULL},
               {DPS_OPT_map_measure, dps_measure_names, "auto", 0, NULL},
               {DPS_OPT_map_allocation, dps_allocation_names, "", 0, NULL},
               {DPS_OPT_map_projection, dps_projection_names, "", 0, NULL},
               {DPS_OPT_map_h01, dps_switch_names, "", 0, NULL},
               {DPS_OPT_map_truncate_mode, dps_truncate_mode_names, "", 0, NULL},
               {DPS_OPT_map_scale, dps_map_scale_names, "", 0, NULL},
               {DPS_OPT_map_base, dps_base_names, "", 0, NULL},
               {DPS_OPT_map_refine, dps_refine_names, "", 0, NULL},
               {DPS_OPT_solver_type, dps_solver_names, "", 0, NULL},
               {DPS_OPT_solver_task, dps_task_names, "", 0, NULL},
               {DPS_OPT_solver_loss, dps_loss_names, "auto", 0, NULL},
               {DPS_OPT_solver_calibration, dps_calibration_names, "", 0, NULL},
               {DPS_OPT_tune_metric, dps_metric_names, "", 0, NULL},
               {DPS_OPT_tune_method, dps_tune_method_names, "", 0, NULL},
               {DPS_OPT_tune_choice, dps_tune_choice_names, "", 0, NULL},
               {DPS_OPT_run_simd, dps_simd_names, "auto", 0, NULL},
               {DPS_OPT_run_resume, dps_switch_names, "", 0, NULL},
               {DPS_OPT_run_verbosity, dps_level_names, "", 1, NULL},
               {DPS_OPT_output_baseline, dps_switch_names, "", 1, NULL}};

enum { CHOICES = sizeof choices / sizeof choices[0] };

static void words_of_options_are_the_names_beside_enums(void **state)
{
    (void)state;
    for (size_t k = 0; k < CHOICES; k++) {
        size_t found = 0, names = 0;
        const char *word = dps_option_table()[choices[k].id].choices;
        for (; choices[k].names != NULL && *word != '\0'; word += strlen(word) + 1) {
            unsigned value;
            const bool named = dps_name_find(choices[k].names, word, strlen(word), &value);
            const bool stands_for = choices[k].also != NULL &&
                                    dps_name_find(choices[k].also, word, strlen(word), &value);
            assert_true(named || stands_for || strcmp(word, choices[k].more) == 0);
            found += named;
        }
        while (choices[k].names != NULL && choices[k].names[names] != NULL) {
            names++;
        }
        assert_int_equal(found + (names > 0 ? choices[k].other : 0), names);
    }
}

static void every_choice_is_listed_here(void **state)
{
    (void)state;
    size_t listed = 0;
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        if (strcmp(dps_option_table()[id].type, "CHOICE") == 0) {
            assert_true(listed < CHOICES && (int)choices[listed].id == id);
            listed++;
        }
    }
    assert_int_equal(listed, CHOICES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_options_are_the_names_beside_enums),
        cmocka_unit_test(every_choice_is_listed_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
