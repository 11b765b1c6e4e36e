/* Inner products of mapped rows against their kernel, for test_estimator.sh.
 *
 *   gram_error KERNEL C ROWS FILE...
 *
 * ROWS: the rows as LIBSVM text, which are mapped as they are. FILE...: what `dpsvm transform
 * --format npy` made of them, one file a seed. C: the kernel's domain_scale, or the gamma of the
 * RBF base. Prints "w r": w is the largest distance over all pairs between the mean over seeds of
 * <z(x), z(y)> and K(x, y), in standard errors; r is the root-mean-square error over seeds and
 * pairs. Kernels are computed here from their closed forms. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 16, MOST_COLUMNS = 16, MOST_PAIRS = MOST_ROWS * (MOST_ROWS + 1) / 2 };

typedef struct kernel {
    const char *name;
    int rbf; /* of the RBF of x and y instead of their inner product */
    double (*value)(double t, double c);
} kernel;

static double cube(double t, double c)
{
    (void)c;
    return (1 + t) * (1 + t) * (1 + t);
}

static double vovk_real_4(double t, double c)
{
    (void)c;
    return 1 + t + t * t + t * t * t;
}

static double exponential(double t, double c)
{
    (void)c;
    return exp(t);
}

static double vovk_infinite(double t, double c)
{
    return 1 / (1 - t / c);
}

static const kernel kernels[] = {
    {"polynomial_3", 0, cube},           {"vovk_real_4", 0, vovk_real_4},
    {"exponential", 0, exponential},     {"vovk_infinite", 0, vovk_infinite},
    {"rbf_exponential", 1, exponential}, {"rbf_polynomial_3", 1, cube},
};

static void give_up(const char *what, const char *name)
{
    fprintf(stderr, "gram_error: %s: %s\n", name, what);
    exit(1);
}

static int read_rows(const char *path, double x[MOST_ROWS][MOST_COLUMNS])
{
    char line[1000];
    int rows = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        give_up("cannot be opened", path);
    }
    while (fgets(line, sizeof line, file) != NULL && rows < MOST_ROWS) {
        memset(x[rows], 0, sizeof x[rows]);
        char *at = strchr(line, ' ');
        while (at != NULL && *at == ' ') {
            long j = strtol(at, &at, 10);
            if (j < 1 || j > MOST_COLUMNS || *at != ':') {
                give_up("no row", path);
            }
            x[rows][j - 1] = strtod(at + 1, &at);
        }
        rows++;
    }
    fclose(file);
    return rows;
}

/* The matrix of a NumPy file version 1.0 of '<f4' in C order; *columns is its width. */
static float *read_npy(const char *path, int rows, size_t *columns)
{
    unsigned char head[10];
    char text[1000];
    int found_rows = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fread(head, 1, 10, file) != 10) {
        give_up("no NumPy file", path);
    }
    size_t length = head[8] + 256u * head[9];
    if (memcmp(head, "\x93NUMPY\x01\x00", 8) != 0 || length >= sizeof text ||
        fread(text, 1, length, file) != length) {
        give_up("no NumPy file", path);
    }
    text[length] = '\0';
    const char *shape = strchr(text, '(');
    if (strstr(text, "<f4") == NULL || shape == NULL ||
        sscanf(shape, "(%d, %zu)", &found_rows, columns) != 2 || found_rows != rows) {
        give_up("not the rows", path);
    }
    size_t count = (size_t)rows * *columns;
    float *z = malloc((count + 1) * sizeof *z);
    if (z == NULL || fread(z, sizeof *z, count + 1, file) != count) {
        give_up("not the size its header says", path);
    }
    fclose(file);
    return z;
}

static void exact_values(const kernel *k, double c, int rows, double x[MOST_ROWS][MOST_COLUMNS],
                         double out[MOST_PAIRS])
{
    for (int i = 0, pair = 0; i < rows; i++) {
        for (int j = 0; j <= i; j++, pair++) {
            double dot = 0, distance = 0;
            for (int a = 0; a < MOST_COLUMNS; a++) {
                dot += x[i][a] * x[j][a];
                distance += (x[i][a] - x[j][a]) * (x[i][a] - x[j][a]);
            }
            out[pair] = k->value(k->rbf ? exp(-c * distance) : dot, c);
        }
    }
}

int main(int argc, char **argv)
{
    static double x[MOST_ROWS][MOST_COLUMNS], exact[MOST_PAIRS], sum[MOST_PAIRS],
        square[MOST_PAIRS];
    const kernel *k = NULL;
    for (size_t i = 0; argc > 5 && i < sizeof kernels / sizeof kernels[0]; i++) {
        k = strcmp(argv[1], kernels[i].name) == 0 ? &kernels[i] : k;
    }
    if (k == NULL) {
        give_up("expected KERNEL C ROWS FILE FILE...", argc > 1 ? argv[1] : "");
    }
    const int rows = read_rows(argv[3], x), pairs = rows * (rows + 1) / 2;
    exact_values(k, strtod(argv[2], NULL), rows, x, exact);
    for (int seed = 4; seed < argc; seed++) {
        size_t columns;
        float *z = read_npy(argv[seed], rows, &columns);
        for (int i = 0, pair = 0; i < rows; i++) {
            for (int j = 0; j <= i; j++, pair++) {
                double error = -exact[pair];
                for (size_t a = 0; a < columns; a++) {
                    error += (double)z[(size_t)i * columns + a] * z[(size_t)j * columns + a];
                }
                sum[pair] += error;
                square[pair] += error * error;
            }
        }
        free(z);
    }
    const double seeds = argc - 4;
    double worst = 0, total = 0;
    for (int pair = 0; pair < pairs; pair++) {
        double mean = sum[pair] / seeds;
        double variance = fmax(square[pair] - seeds * mean * mean, 0) / (seeds - 1);
        /* an estimate without spread must be right up to float rounding */
        worst = fmax(worst, fabs(mean) / (sqrt(variance / seeds) + 1e-7 * exact[pair] + 1e-30));
        total += square[pair];
    }
    printf("%.4f %.8g\n", worst, sqrt(total / (seeds * pairs)));
    return 0;
}
