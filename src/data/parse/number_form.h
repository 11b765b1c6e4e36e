/* Numbers as people, spreadsheets and other languages and countries write them: 1,234.5 and
 * 1.234,5 and 1 234,5, $5 and 5 %, 1D+05, a true minus sign. How a column writes its numbers is its
 * form; it is told from many of them (dps_number_signs), because one may be read in two ways. */
#ifndef DPS_NUMBER_FORM_H
#define DPS_NUMBER_FORM_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed form: numbers as C writes them. */
typedef struct dps_number_form {
    char decimal; /* ',': a comma before the decimals; else 0 */
    char group;   /* between thousands: one of , . ' and blank; 0: nothing */
    char unit;    /* '%', or '$' for any sign or code of a currency; 0: none */
} dps_number_form;

/* What the numbers of a column have shown. */
typedef struct dps_number_signs {
    bool comma_decimal; /* 1,5: cannot stand between thousands */
    bool comma_group;   /* 1,234,567 or 1,234.5: can stand nowhere else */
    bool comma_either;  /* 1,234 */
    bool point_decimal; /* the same of points: 1.5 */
    bool point_group;   /* 1.234.567 or 1.234,5 */
    bool point_either;  /* 1.234 */
    bool quote_group, blank_group;
    bool percent, currency, bare; /* numbers other than 0 with the sign and without one */
} dps_number_signs;

/* The number of a text by a form; what no form can change (blanks around it, also those that do
 * not break, a true minus sign, exponents with D) is read in every form. False: it is none. */
bool dps_number_read(const char *text, size_t length, const dps_number_form *form, double *number);
/* Whether the text is a number in some form; adds what it shows. */
bool dps_number_look(const char *text, size_t length, dps_number_signs *signs);
/* The same of a text that C reads as `number`, NAN where it is none to C. */
bool dps_number_in_some_form(const char *text, double number);
/* The form of all that was shown. decimal: '.' or ',' where it is known, else 0. False: the numbers
 * contradict each other, or can be read in two ways: *why says which, and *form is none of them. */
bool dps_number_form_of(const dps_number_signs *signs, char decimal, dps_number_form *form,
                        const char **why);
static inline bool dps_number_form_is_plain(const dps_number_form *form)
{
    return form->decimal == 0 && form->group == 0 && form->unit == 0;
}

#endif
