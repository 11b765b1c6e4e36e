/* The curve's table holds what was added, with empty fields for what is not known. */
#include "curve_report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void read_all(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    unlink(path);
}

static void fill(dps_curve *curve)
{
    const dps_curve_point point[] = {{"dcd", 1, 0.25, 100, 0.5, 0.75},
                                     {"dcd", 2, 0.5000004, 50, NAN, NAN},
                                     {"newton", 3, 1, 12.5, 0.001, 0.875}};
    *curve = (dps_curve){.metric = DPS_METRIC_ACCURACY};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(dps_curve_add(curve, &point[k], NULL), DPS_OK);
    }
}

static void the_table_holds_the_points_in_order(void **state)
{
    (void)state;
    char path[] = "curve-XXXXXX", text[1000];
    dps_curve curve;
    close(mkstemp(path));
    fill(&curve);
    assert_int_equal(dps_curve_write_csv(&curve, path, NULL), DPS_OK);
    read_all(path, text, sizeof text);
    assert_string_equal(text, "pass,solver,seconds,objective,gap,accuracy\n"
                              "1,dcd,0.25,100,0.5,0.75\n"
                              "2,dcd,0.5,50,,\n"
                              "3,newton,1,12.5,0.001,0.875\n");
    dps_curve_release(&curve);
}

static void the_picture_has_two_panels_for_each_known_figure(void **state)
{
    (void)state;
    char path[] = "curve-XXXXXX", text[20000];
    dps_curve curve;
    close(mkstemp(path));
    fill(&curve);
    for (int scored = 1; scored >= 0; scored--) {
        for (int64_t k = 0; k < curve.count && !scored; k++) {
            curve.point[k].score = NAN;
        }
        assert_int_equal(dps_curve_write_svg(&curve, path, NULL), DPS_OK);
        read_all(path, text, sizeof text);
        int panels = 0;
        for (const char *at = text; (at = strstr(at, "<path")) != NULL; at++) {
            panels++;
        }
        assert_int_equal(panels, scored ? 6 : 4);
        assert_null(strstr(text, "nan"));
        assert_string_equal(text + strlen(text) - 7, "</svg>\n");
    }
    dps_curve_release(&curve);
}

static void a_curve_without_points_can_be_written(void **state)
{
    (void)state;
    char path[] = "curve-XXXXXX", text[2000];
    dps_curve curve = {.metric = DPS_METRIC_AUC};
    close(mkstemp(path));
    assert_int_equal(dps_curve_write_csv(&curve, path, NULL), DPS_OK);
    read_all(path, text, sizeof text);
    assert_string_equal(text, "pass,solver,seconds,objective,gap,auc\n");
    assert_int_equal(dps_curve_write_svg(&curve, path, NULL), DPS_OK);
    read_all(path, text, sizeof text);
    assert_null(strstr(text, "nan"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_holds_the_points_in_order),
        cmocka_unit_test(the_picture_has_two_panels_for_each_known_figure),
        cmocka_unit_test(a_curve_without_points_can_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
