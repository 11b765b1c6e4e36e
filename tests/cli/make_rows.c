/* make_rows ROWS COLUMNS SEED [csv]: rows of two classes as LIBSVM text (or CSV with a header) to
 * standard output, as fast as they can be read: columns are multiples of 1/1000 in (-1, 1), the
 * class is the sign of x1 x2 + x3 / 2 with one label in twenty turned. Row i depends on SEED and i
 * alone. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Writes value / 1000 without the zero before the point; returns the end. */
static char *put(char *at, int value)
{
    const int size = abs(value);
    if (value < 0) {
        *at++ = '-';
    }
    *at++ = '.';
    *at++ = (char)('0' + size / 100);
    *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    return at;
}

int main(int count, char **word)
{
    if (count < 4) {
        fprintf(stderr, "usage: make_rows ROWS COLUMNS SEED [csv]\n");
        return 2;
    }
    const long long rows = atoll(word[1]);
    const int columns = atoi(word[2]);
    const uint64_t seed = mix((uint64_t)atoll(word[3]));
    const int csv = count > 4 && strcmp(word[4], "csv") == 0;
    char *line = malloc((size_t)columns * 20 + 20);
    if (line == NULL || columns < 3) {
        return 1;
    }
    if (csv) {
        printf("label");
        for (int j = 1; j <= columns; j++) {
            printf(",x%d", j);
        }
        printf("\n");
    }
    for (long long i = 0; i < rows; i++) {
        const uint64_t row = mix(seed ^ (uint64_t)i);
        char *at = line + 2;
        int x[3] = {0, 0, 0};
        for (int j = 0; j < columns; j++) {
            const int value = (int)(mix(row + (uint64_t)j) % 1999) - 999;
            if (j < 3) {
                x[j] = value;
            }
            *at++ = csv ? ',' : ' ';
            if (!csv) {
                at += sprintf(at, "%d:", j + 1);
            }
            at = put(at, value);
        }
        *at++ = '\n';
        const int turned = mix(row ^ 0x5555) % 20 == 0;
        const int positive = (2 * x[0] * x[1] + 1000 * x[2] > 0) != turned;
        line[0] = positive ? '+' : '-';
        line[1] = '1';
        if (fwrite(line, 1, (size_t)(at - line), stdout) != (size_t)(at - line)) {
            return 1;
        }
    }
    return fflush(stdout) != 0;
}
