/* Headers of npy files: what NumPy writes is read, what cannot be used is said. */
#include "unit/data/data_fixture.h"
#include "npy.h"

/* A header of version `major` with this dictionary. */
static size_t make_header(char *out, int major, const char *dictionary)
{
    const size_t length = strlen(dictionary), start = major == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)major;
    out[7] = 0;
    memset(out + 8, 0, start - 8);
    out[8] = (char)length;
    memcpy(out + start, dictionary, length);
    return start + length;
}

static void headers_of_every_version_are_read(void **state)
{
    (void)state;
    for (int major = 1; major <= 3; major++) {
        char bytes[256];
        dps_npy npy;
        const char *why;
        const size_t length = make_header(
            bytes, major, "{'descr': '<f8', 'fortran_order': False, 'shape': (12, 345), }  \n");
        assert_true(dps_npy_read_header(bytes, length, &npy, &why));
        assert_int_equal(npy.kind, 'f');
        assert_int_equal(npy.rows, 12);
        assert_int_equal(npy.columns, 345);
        assert_int_equal(npy.row_bytes, 345 * 8);
        assert_int_equal(npy.header_bytes, length);
        for (size_t cut = 0; cut < length; cut++) { /* no byte beyond the cut is read */
            char *exact = malloc(cut > 0 ? cut : 1);
            memcpy(exact, bytes, cut);
            assert_false(dps_npy_read_header(exact, cut, &npy, &why));
            free(exact);
        }
    }
}

static void what_cannot_be_used_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *dictionary, *says;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }\n", "Fortran"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (3, 4), }\n", "big-endian"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (3, 4), }\n", "float32"},
        {"{'descr': '<U5', 'fortran_order': False, 'shape': (3, 4), }\n", "float32"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }\n", "plain matrix"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 5), }\n", "matrix"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", "matrix"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0), }\n", "matrix"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 1), }\n",
         "matrix"},
        {"{'descr': '<f4', 'fortran_order': False, }\n", "matrix"},
        {"{'shape': (3, 4), }\n", "plain matrix"},
        {"", "plain matrix"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char bytes[256];
        dps_npy npy;
        const char *why = "";
        const size_t length = make_header(bytes, 1, cases[k].dictionary);
        char *exact = malloc(length + 2);
        memcpy(exact, bytes, length);
        memset(exact + length, 0, 2); /* the shortest file that is looked at has 12 bytes */
        assert_false(dps_npy_read_header(exact, length + 2, &npy, &why));
        if (strstr(why, cases[k].says) == NULL) {
            fail_msg("%s: %s", cases[k].dictionary, why);
        }
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_of_every_version_are_read),
        cmocka_unit_test(what_cannot_be_used_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
