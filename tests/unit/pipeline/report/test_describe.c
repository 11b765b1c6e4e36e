/* What a model says about itself on a terminal. */
#include "unit/model/model_sample.h"

#include "describe.h"

/* A stranger's model may hold any text. */
static void a_label_does_not_talk_to_the_terminal(void **state)
{
    (void)state;
    dps_model model;
    dps_error err;
    dps_text text = {0};
    sample_model(&model, 2);
    dps_free(model.classes.text[1]);
    model.classes.text[1] = sample_label("\x1b]0;owned\x07");
    assert_int_equal(dps_describe_model(&model, "m.model", false, &text, &err), DPS_OK);
    assert_non_null(strstr(text.data, "owned"));
    assert_null(strchr(text.data, '\x1b'));
    dps_text_release(&text);
    dps_model_release(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_label_does_not_talk_to_the_terminal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
