/* dpsvm from C: train from options, predict rows in memory. Functions return 0 or the number of an
 * error below, with its text in error (may be NULL). No function prints, exits or keeps anything
 * between calls; an open model may be used by several threads at once. */
#ifndef DPSVM_H
#define DPSVM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    DPSVM_OK = 0,
    DPSVM_IO = 1,      /* a file or device */
    DPSVM_MEMORY = 2,  /* memory or another limit */
    DPSVM_CONFIG = 3,  /* an option */
    DPSVM_DATA = 4,    /* the content of rows or of a model */
    DPSVM_NUMERIC = 5, /* arithmetic failed */
    DPSVM_STOPPED = 6
};

/* "0.2.0" */
const char *dpsvm_version(void);

/* `dpsvm train`: reads the INI file `config` (NULL: none), then `count` texts
 * "section.key=value", and writes the model to output.model. */
int dpsvm_train(const char *config, const char *const *settings, size_t count, char *error,
                size_t error_size);

typedef struct dpsvm_model dpsvm_model;

/* *model is NULL on an error; close it with dpsvm_close. */
int dpsvm_open(dpsvm_model **model, const char *path, char *error, size_t error_size);
void dpsvm_close(dpsvm_model *model); /* accepts NULL */

/* Number of classes (0: regression), and the label of class k (0 <= k < classes) as the training
 * data spelt it. */
int32_t dpsvm_class_count(const dpsvm_model *model);
const char *dpsvm_class_label(const dpsvm_model *model, int32_t k);
/* Scores of a row: 1 for two classes (positive: class 1) and for regression (the predicted number),
 * else one a class. */
int32_t dpsvm_score_count(const dpsvm_model *model);

/* Predicts `rows` rows on the calling thread. Row i has the features index[start[i]] ...
 * index[start[i+1] - 1], counted from 0, ascending, with the values at the same places; features
 * that training did not see are left out. predicted (rows; untouched by regression) and scores
 * (rows x score count, row-major) may be NULL. The numbers are those of `dpsvm predict --scores`,
 * bit for bit. */
int dpsvm_predict(const dpsvm_model *model, int64_t rows, const int64_t *start,
                  const int32_t *index, const double *value, int32_t *predicted, double *scores,
                  char *error, size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
