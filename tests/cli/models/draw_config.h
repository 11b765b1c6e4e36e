/* Random rows and configurations for check_models. */
#ifndef DRAW_CONFIG_H
#define DRAW_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_DRAWN_ROWS = 300, MOST_DRAWN_CLASSES = 5 };

typedef struct drawn_config {
    int rows, columns, classes; /* classes 0: regression */
    int label[MOST_DRAWN_ROWS]; /* the class is this number, 0, 1, ... */
    double target[MOST_DRAWN_ROWS];
    double weight[MOST_DRAWN_ROWS];          /* of a file for data.weights; all 1 without one */
    double class_weight[MOST_DRAWN_CLASSES]; /* as solver.class_weight sets it */
    double C, tolerance, epsilon, bias;
    bool wide;    /* more than 65,536 columns */
    bool amounts; /* scaled values are 0 or more */
} drawn_config;

/* Writes rows.svm, config.ini and, sometimes, weights.txt into the current folder. Every number is
 * a function of `seed`. false: a file cannot be written. */
bool draw_config(uint64_t seed, drawn_config *drawn);

#endif
