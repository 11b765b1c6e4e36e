/* Numbers from text against the C library's in the C locale, and back: the whole parser, the fast
 * path, integers, and numbers as people write them. */
#include <ctype.h>
#include <errno.h>
#include "fuzz_target.h"
#include "number.h"
#include "number_form.h"

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* text: ends with NUL, no NUL before; the process never sets a locale. */
static void doubles(const char *text, const char *exact, size_t length)
{
    char *end = NULL;
    double mine = 0, quick = 0, whole = 0;
    const bool blank = isspace((unsigned char)text[0]) != 0;
    const double theirs = strtod(text, &end);
    const size_t used = blank ? 0 : (size_t)(end - text);
    const char *after = dps_parse_double(exact, exact + length, &mine);
    FUZZ_HOLDS((after == NULL) == (used == 0) &&
                   (after == NULL || ((size_t)(after - exact) == used && same(mine, theirs))),
               "\"%s\": %.17g of %td bytes, strtod %.17g of %zu", text, mine,
               after == NULL ? (ptrdiff_t)0 : after - exact, theirs, used);
    after = dps_parse_short(exact, exact + length, &quick);
    FUZZ_HOLDS(after == NULL || ((size_t)(after - exact) == used && same(quick, theirs)),
               "\"%s\": fast path %.17g, strtod %.17g", text, quick, theirs);
    const bool is = dps_text_to_double(exact, length, &whole);
    FUZZ_HOLDS(is == (length > 0 && used == length) && (!is || same(whole, theirs)),
               "\"%s\": whole text %d %.17g", text, is, whole);
    if (is) {
        char back[DPS_NUMBER_MAX];
        const size_t written = dps_format_double(back, theirs);
        FUZZ_HOLDS(dps_text_to_double(back, written, &mine) && same(mine, theirs),
                   "%.17g is written as %s", theirs, back);
        const float single = (float)theirs;
        const size_t shorter = dps_format_float(back, single);
        FUZZ_HOLDS(dps_text_to_double(back, shorter, &mine) && same((float)mine, single),
                   "%.9g is written as %s", (double)single, back);
    }
}

static void integers(const char *text, const char *exact, size_t length)
{
    char *end = NULL;
    int64_t mine = 0;
    errno = 0;
    const long long theirs = strtoll(text, &end, 10);
    const bool is = length > 0 && !isspace((unsigned char)text[0]) && *end == '\0' && errno == 0;
    FUZZ_HOLDS(dps_text_to_int64(exact, length, &mine) == is && (!is || mine == theirs),
               "\"%s\": integer %lld, strtoll %lld", text, (long long)mine, theirs);
}

/* A text that shows a form is read by the form that it shows; C's decimal numbers are by none, but
 * for those of more than 100 characters, which no column with a form of its own takes. */
static void forms(const char *exact, size_t length)
{
    dps_number_signs signs = {0};
    dps_number_form form = {0};
    const char *why = NULL;
    double value = 0, plain = 0;
    const bool looks = dps_number_look(exact, length, &signs);
    if (looks && dps_number_form_of(&signs, 0, &form, &why)) {
        FUZZ_HOLDS(dps_number_read(exact, length, &form, &value), "not read in its own form");
    } else if (looks) {
        FUZZ_HOLDS(why != NULL, "refused without a reason");
    }
    if (length <= 100 && memchr(exact, 'x', length) == NULL && memchr(exact, 'X', length) == NULL &&
        dps_text_to_double(exact, length, &plain) && isfinite(plain)) {
        form = (dps_number_form){0};
        FUZZ_HOLDS(dps_number_read(exact, length, &form, &value) && same(value, plain),
                   "C's number %.17g read as %.17g", plain, value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *text = fuzz_string(bytes, length);
    char *exact = malloc(length > 0 ? length : 1);
    if (text != NULL && exact != NULL) {
        memcpy(exact, bytes, length);
        doubles(text, exact, length);
        integers(text, exact, length);
        forms(exact, length);
    }
    free(text);
    free(exact);
    return 0;
}
