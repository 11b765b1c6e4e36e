/* A number is cut into sign, currency or percent sign, and a body of digits, marks and exponent:
 *
 *     number = blanks [sign] [currency] [sign] body [blank] [currency | %] blanks | '(' ... ')'
 *     body   = digits {group digits} [decimal digits] [(e | d) exponent]
 *
 * A mark that stands once with three digits behind it and one to three before it, no leading 0, may
 * stand between thousands or before decimals: "either". Any other place tells which it is. */
#include "number_form.h"

#include <math.h>
#include <string.h>

#include "number.h"

#define BODY_MAX 100 /* longer texts are no numbers that people write */

typedef struct parts {
    char body[BODY_MAX + 2]; /* starts with '-' if negative; every group blank is one ' ' */
    size_t length;
    char unit; /* as in dps_number_form */
} parts;

/* ---- signs around the digits ---- */

typedef struct text_range {
    const char *at, *end;
} text_range;

static bool take_first(text_range *r, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) {
        return false;
    }
    r->at += length;
    return true;
}

static bool take_last(text_range *r, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->end - length, word, length) != 0) {
        return false;
    }
    r->end -= length;
    return true;
}

/* Blank, tab, no-break space, narrow no-break space, thin space. */
static const char *const blanks[] = {" ", "\t", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89"};
static const char *const currencies[] = {
    "$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "\xe2\x82\xb9", "USD", "EUR", "GBP", "CHF", "JPY"};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static void trim(text_range *r)
{
    bool more = true;
    while (more) {
        more = false;
        for (size_t k = 0; k < COUNT(blanks); k++) {
            more |= take_first(r, blanks[k]) || take_last(r, blanks[k]);
        }
    }
}

static bool take_currency(text_range *r)
{
    for (size_t k = 0; k < COUNT(currencies); k++) {
        if (take_first(r, currencies[k]) || take_last(r, currencies[k])) {
            trim(r);
            return true;
        }
    }
    return false;
}

/* Minus signs of typesetting, of full width, hyphens. */
static bool take_sign(text_range *r, bool *negative)
{
    static const char *const minus[] = {
        "-", "\xe2\x88\x92", "\xe2\x80\x90", "\xe2\x80\x91", "\xef\xbc\x8d", "\xef\xb9\xa3"};
    for (size_t k = 0; k < COUNT(minus); k++) {
        if (take_first(r, minus[k])) {
            *negative = true;
            return true;
        }
    }
    return take_first(r, "+");
}

/* Copies the body with blanks and signs of exponents made plain. False: too long. */
static bool copy_body(text_range r, parts *out)
{
    while (r.at < r.end) {
        if (out->length >= BODY_MAX) {
            return false;
        }
        bool blank = false, negative = false;
        for (size_t k = 0; k < COUNT(blanks) && !blank; k++) {
            blank = take_first(&r, blanks[k]);
        }
        if (blank || take_first(&r, "\xe2\x80\x99")) { /* also the typeset apostrophe */
            out->body[out->length++] = blank ? ' ' : '\'';
        } else if (*r.at != '+' && take_sign(&r, &negative)) {
            out->body[out->length++] = '-';
        } else {
            out->body[out->length++] = *r.at++;
        }
    }
    return true;
}

static bool take_apart(const char *text, size_t length, parts *out)
{
    text_range r = {text, text + length};
    bool negative = false;
    out->length = 0;
    out->unit = 0;
    trim(&r);
    const bool brackets = take_first(&r, "(");
    if (brackets && !take_last(&r, ")")) {
        return false;
    }
    bool sign = take_sign(&r, &negative);
    trim(&r);
    if (take_currency(&r)) {
        out->unit = '$';
        sign = sign || take_sign(&r, &negative);
    } else if (take_last(&r, "%")) {
        out->unit = '%';
        trim(&r);
    }
    if (brackets && (sign || out->unit == '%' ||
                     (out->unit == 0 && memchr(r.at, ',', (size_t)(r.end - r.at)) == NULL))) {
        return false; /* (1,234) and ($5) are what accountants write; (5) is a text */
    }
    if (negative || brackets) {
        out->body[out->length++] = '-';
    }
    /* one sign at most; a word such as "inf" is no number with marks */
    return r.at < r.end && *r.at != '-' && *r.at != '+' && copy_body(r, out);
}

/* ---- marks between the digits ---- */

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_mark(char c)
{
    return c == ',' || c == '.' || c == '\'' || c == ' ';
}

/* Of a body: digits and marks up to the exponent. False: it has anything else. */
typedef struct marks {
    size_t begin, end;   /* of the mantissa */
    char group, decimal; /* the marks found; 0: none */
    bool either;         /* the one mark may be both: it is in `group` */
} marks;

static bool exponent_is_good(const parts *p, size_t at)
{
    if (at == p->length) {
        return true;
    }
    if (strchr("eEdD", p->body[at]) == NULL) {
        return false;
    }
    at++;
    at += at < p->length && (p->body[at] == '-' || p->body[at] == '+');
    const size_t first = at;
    while (at < p->length && digit(p->body[at])) {
        at++;
    }
    return at > first && at == p->length;
}

/* Whether marks of one kind, first at `first`, can stand between thousands up to `end`. */
static bool grouped(const parts *p, size_t begin, size_t first, size_t end, char mark)
{
    if (first == begin || first - begin > 3) {
        return false;
    }
    for (size_t at = first; at < end; at += 4) {
        if (p->body[at] != mark || end - at < 4) {
            return false;
        }
        for (size_t k = 1; k < 4; k++) {
            if (!digit(p->body[at + k])) {
                return false;
            }
        }
    }
    return true;
}

static bool find_marks(const parts *p, marks *m)
{
    size_t count = 0, first = 0, last = 0, digits = 0;
    *m = (marks){.begin = p->length > 0 && p->body[0] == '-'};
    m->end = m->begin;
    while (m->end < p->length && (digit(p->body[m->end]) || is_mark(p->body[m->end]))) {
        if (is_mark(p->body[m->end])) {
            first = count == 0 ? m->end : first;
            last = m->end;
            count++;
        } else {
            digits++;
        }
        m->end++;
    }
    if (digits == 0 || !exponent_is_good(p, m->end)) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    const char one = p->body[first], other = p->body[last];
    const bool last_is_decimal = other == ',' || other == '.';
    if (count == 1 && grouped(p, m->begin, first, m->end, one)) {
        m->group = one;
        m->either = last_is_decimal && p->body[m->begin] != '0';
        if (last_is_decimal && !m->either) { /* 0,125 */
            m->decimal = one;
            m->group = 0;
        }
        return m->group != 0 || m->decimal != 0;
    }
    if (count == 1) {
        m->decimal = one;
        return last_is_decimal;
    }
    m->group = one;
    if (one == other) {
        return grouped(p, m->begin, first, m->end, one);
    }
    m->decimal = other;
    return last_is_decimal && grouped(p, m->begin, first, last, one);
}

/* The body as C writes it, by the marks' meaning. */
static bool body_number(const parts *p, const marks *m, char decimal, double *number)
{
    char text[BODY_MAX + 2];
    size_t length = 0;
    for (size_t at = 0; at < p->length; at++) {
        const char c = p->body[at];
        if (at >= m->begin && at < m->end && is_mark(c)) {
            if (c == decimal) {
                text[length++] = '.';
            }
            continue;
        }
        text[length++] = c == 'd' || c == 'D' ? 'e' : c;
    }
    return dps_text_to_double(text, length, number);
}

bool dps_number_read(const char *text, size_t length, const dps_number_form *form, double *number)
{
    parts p;
    marks m;
    const char decimal = form->decimal == ',' ? ',' : '.';
    if (!take_apart(text, length, &p) || !find_marks(&p, &m)) {
        return false;
    }
    if (m.decimal != 0 && m.decimal != decimal) {
        return false;
    }
    if (m.group != 0 && !(m.either && m.group == decimal) && m.group != form->group) {
        return false;
    }
    if (!body_number(&p, &m, decimal, number)) {
        return false;
    }
    return p.unit == form->unit || *number == 0.0;
}

bool dps_number_look(const char *text, size_t length, dps_number_signs *signs)
{
    parts p;
    marks m;
    double number;
    if (!take_apart(text, length, &p) || !find_marks(&p, &m)) {
        return false;
    }
    signs->comma_decimal |= m.decimal == ',';
    signs->point_decimal |= m.decimal == '.';
    signs->comma_group |= m.group == ',' && !m.either;
    signs->point_group |= m.group == '.' && !m.either;
    signs->comma_either |= m.group == ',' && m.either;
    signs->point_either |= m.group == '.' && m.either;
    signs->quote_group |= m.group == '\'';
    signs->blank_group |= m.group == ' ';
    if (body_number(&p, &m, m.decimal, &number) && number != 0.0) {
        signs->percent |= p.unit == '%';
        signs->currency |= p.unit == '$';
        signs->bare |= p.unit == 0;
    }
    return true;
}

bool dps_number_in_some_form(const char *text, double number)
{
    dps_number_signs signs = {0};
    return !isnan(number) || dps_number_look(text, strlen(text), &signs);
}

bool dps_number_form_of(const dps_number_signs *s, char decimal, dps_number_form *form,
                        const char **why)
{
    const bool comma = decimal == ',' || s->comma_decimal || s->point_group;
    const bool point = decimal == '.' || s->point_decimal || s->comma_group;
    *form = (dps_number_form){0};
    *why = NULL;
    if (s->percent + s->currency + s->bare > 1) {
        *why = "some numbers of the column have a sign of percent or currency and some have none; "
               "write all the same way";
        return false;
    }
    if ((comma && point) || s->comma_group + s->point_group + s->quote_group + s->blank_group > 1) {
        *why = "the column writes its numbers in different ways (decimal points and commas, or "
               "several marks between thousands); write all the same way";
        return false;
    }
    if (s->comma_either && !comma && !point) {
        *why = "the comma may stand before decimals or between thousands; data.decimal = comma or "
               "point says which";
        return false;
    }
    form->decimal = comma ? ',' : 0;
    form->group = s->quote_group                                  ? '\''
                  : s->blank_group                                ? ' '
                  : comma && (s->point_group || s->point_either)  ? '.'
                  : !comma && (s->comma_group || s->comma_either) ? ','
                                                                  : 0;
    form->unit = s->percent ? '%' : s->currency ? '$' : 0;
    return true;
}
