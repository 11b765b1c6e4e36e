/* Every parser of the table of formats under damaged text: a fixed sequence of mutations of good
 * and bad seeds, the same on every run. Under the sanitizers this is the fuzz test of each build;
 * tests/fuzz holds the open-ended one. */
#include "unit/data/data_fixture.h"

static const char *const seeds[] = {
    "% c\n@RELATION r\n@attribute 'a b' numeric\r\n@attribute c {p,'q r',\"it\\'s\"}\n@attribute d "
    "date\n@data\n1, 'q r',x\n% c\n?,p,?\n2.5,'it\\'s',\"y\"\n",
    "@attribute class{1,2}\n@attribute x real\n@data\n1,0.5\n2,1e3\n{0 1}\n",
    "1 1:0.5 2:-3e-2 7:1\n-1 2:1 3:4 # comment\n\n+1 9:1\n",
    "spam qid:3 5:1 3:2 1:0\r\nham 2147483646:1.7976931348623157e308\r\n",
    "1:2 3:4\n0 0:1\n",
    "1,2 1:1\n",
    ("# only\n\xef\xbb\xbf"
     "1 1:1"), /* apart, or the 1 would belong to \xbf */
    "3 1:0x1p-3 2:inf 3:nan 4:1e-400 5:.5 6:5. 7:+1\n",
    "1 4294967297:1 18446744073709551617:1 00001:1\n",
    "-1 1:1 1:1\na#b\n1\t\t2:2\t\n",
    "id,label,x\nu,1,0.5\nv,2,\"3\"\nw,1,red\n",
    "1,2,NA\n-1,,3\r\n1, \"a \"\"b\" ,?\n\n",
    "y\ta b\tc\n+1\t1e400\t0x1p3\n",
    "1;0,5\n2;0,7\n",
    "0.1 10:123456789012345678901234567890 11:0.00000000000000000000000000001\n",
};

/* Bytes that mean something to a parser, and some that mean nothing. */
static const char alphabet[] = "0123456789:.+-eExXinfa#,; \t\r\n\0\x01\x7f\xef\xbb\xbf\xff\"";

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Replaces, inserts, deletes, repeats or cuts; returns the new length, at most `size`. */
static size_t mutate(char *text, size_t length, size_t size, uint64_t *state)
{
    const size_t at = length > 0 ? next(state) % length : 0;
    const char byte = alphabet[next(state) % (sizeof alphabet - 1)];
    switch (next(state) % 6) {
    case 0:
    case 1:
        if (length > 0) {
            text[at] = byte;
        }
        return length;
    case 2:
        if (length < size) {
            memmove(text + at + 1, text + at, length - at);
            text[at] = byte;
            length++;
        }
        return length;
    case 3:
        if (length > 0) {
            memmove(text + at, text + at + 1, length - at - 1);
            length--;
        }
        return length;
    case 4: {
        size_t run = 1 + next(state) % 12;
        run = run < length - at ? run : length - at;
        run = run < size - length ? run : size - length;
        memmove(text + at + run, text + at, length - at);
        return length + run;
    }
    default:
        return next(state) % 4 == 0 ? at : length;
    }
}

static void damaged_text_is_parsed_or_refused_cleanly(void **state)
{
    (void)state;
    uint64_t random = 20120421;
    char text[400];
    int64_t parsed = 0, refused = 0;
    for (const char *const *name = dps_format_names; *name != NULL; name++) {
        const dps_format *format = dps_format_find(*name);
        dps_row_block block = {0};
        for (int round = 0; round < 40000; round++) {
            const char *seed = seeds[(size_t)round % (sizeof seeds / sizeof seeds[0])];
            size_t length = strlen(seed);
            memcpy(text, seed, length);
            for (uint32_t times = 1 + next(&random) % 6; times > 0; times--) {
                length = mutate(text, length, sizeof text, &random);
            }
            const char *fault = parse_fault(format, &block, text, length);
            if (fault != NULL) {
                char shown[4 * sizeof text + 4];
                dps_quote_token(shown, sizeof shown, text, length, sizeof text);
                fail_msg("%s, round %d: %s in %s", *name, round, fault, shown);
            }
            dps_error err;
            const dps_status status =
                parse_bytes(*name, text, length, &training_rows, &block, &err);
            parsed += status == DPS_OK;
            refused += status != DPS_OK;
        }
        dps_row_block_release(&block);
    }
    assert_true(parsed > 1000 && refused > 1000); /* both sides are exercised */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_text_is_parsed_or_refused_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
