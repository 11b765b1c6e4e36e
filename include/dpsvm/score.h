/**
 * @file dpsvm/score.h
 * @brief libdpsvm-score: open a trained model, ask what it is, score rows.
 *
 * The library needs libc and libm alone. It reads model files and nothing else, starts no thread,
 * sets no signal handler, has no global state, never prints and never exits. libdpsvm (dpsvm/dpsvm.h)
 * has all of this, too, and trains.
 *
 * **Errors.** A function that can fail returns #DPSVM_OK or the number of an error, and says the rest
 * in a #dpsvm_error of the caller's, which may be NULL. A call that failed has changed nothing but
 * what it was to fill: an output pointer is NULL then, numbers of answers are not to be read.
 *
 * **Ownership.** What a function makes (`_open`, `_read`, `_new`, `_train`) the caller ends with the
 * function named there. Texts that a model hands out live as long as the model. Memory that the
 * caller hands in is read during the call only, or written where it says so.
 *
 * **Threads.** A model does not change once it is open: any number of threads may use it. A scorer is
 * of one thread at a time.
 *
 * **Bits.** Labels, scores and probabilities are those of `dpsvm predict` on the same rows, bit for
 * bit, on every processor, for one row a call and for blocks of any size.
 *
 * **Memory** comes from the C library (aligned_alloc, realloc): there are no hooks for another
 * allocator, since a program that wants one replaces malloc when it is linked or started. Scoring
 * dense and sparse rows allocates nothing after the first call with as many values a row; text rows
 * keep their buffers, too.
 */
#ifndef DPSVM_SCORE_H
#define DPSVM_SCORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Functions of the library are seen from outside, nothing else of it is. */
#if defined(__GNUC__)
#define DPSVM_API __attribute__((visibility("default")))
#else
#define DPSVM_API
#endif

/** @brief What a call came to. */
enum {
    DPSVM_OK = 0,      /**< all went well */
    DPSVM_IO = 1,      /**< a file or device */
    DPSVM_MEMORY = 2,  /**< memory or another limit */
    DPSVM_CONFIG = 3,  /**< an option or argument, or something that this model cannot give */
    DPSVM_DATA = 4,    /**< the content of rows or of a model */
    DPSVM_NUMERIC = 5, /**< arithmetic failed */
    DPSVM_STOPPED = 6  /**< the caller stopped it */
};

/** @brief An error in words; on the caller's stack, say. */
typedef struct dpsvm_error {
    int32_t code;    /**< as returned; DPSVM_OK: text is empty */
    int64_t row;     /**< of the rows of the call, from 0; -1: no row, or not known */
    char text[1536]; /**< one line: what was expected, what was found, what to change */
} dpsvm_error;

/** @brief Version of the library that runs, "0.2.0". */
DPSVM_API const char *dpsvm_version(void);

/* ---- models --------------------------------------------------------------------------------- */

/** @brief A trained model, open. */
typedef struct dpsvm_model dpsvm_model;

/** @brief Opens the model in the file `path`. End with dpsvm_model_close().
 * @param[out] model NULL on an error.
 * @return DPSVM_OK; DPSVM_IO: cannot be read; DPSVM_DATA: no model, damaged, or of a newer format;
 * DPSVM_MEMORY. */
DPSVM_API int dpsvm_model_open(dpsvm_model **model, const char *path, dpsvm_error *error);

/** @brief Opens the model whose file's content is bytes[0 .. size - 1]; they are copied.
 * Otherwise as dpsvm_model_open(). */
DPSVM_API int dpsvm_model_read(dpsvm_model **model, const void *bytes, size_t size,
                               dpsvm_error *error);

/** @brief Ends a model; NULL is accepted. Scorers of it end first. */
DPSVM_API void dpsvm_model_close(dpsvm_model *model);

/** @brief What a model predicts. */
enum {
    DPSVM_CLASSES = 0, /**< one of two or more classes */
    DPSVM_NUMBERS = 1  /**< a number (regression) */
};

/** @brief DPSVM_CLASSES or DPSVM_NUMBERS. */
DPSVM_API int32_t dpsvm_model_task(const dpsvm_model *model);

/** @brief Number of classes, 2 or more; 0: the model predicts numbers. Classes stand in the order of
 * their labels: numbers ascending, then texts by their bytes. */
DPSVM_API int32_t dpsvm_class_count(const dpsvm_model *model);

/** @brief Label of class k as the training data spelt it; NULL: no such class. */
DPSVM_API const char *dpsvm_class_label(const dpsvm_model *model, int32_t k);

/** @brief Class of a label ("1", "+1" and "1.0" are one); -1: none. */
DPSVM_API int32_t dpsvm_class_of(const dpsvm_model *model, const char *label);

/** @brief Scores of a row: 1 for two classes (above 0: class 1) and for numbers (the prediction, in
 * units of the target), else one a class (the largest wins). */
DPSVM_API int32_t dpsvm_score_count(const dpsvm_model *model);

/** @brief 1: the model has probabilities of its classes; 0: not (train with solver.probability = on
 * or solver.loss = logistic). */
DPSVM_API int32_t dpsvm_has_probabilities(const dpsvm_model *model);

/** @brief Kinds of columns. */
enum {
    DPSVM_NUMBER = 0, /**< numbers, one feature */
    DPSVM_ONEHOT = 1, /**< texts, a feature a value of the code book: 1, the others 0 */
    DPSVM_ORDINAL = 2 /**< texts, one feature: the value's place in the code book, from 1 */
};

/** @brief A column of a dense or text row. */
typedef struct dpsvm_column {
    const char *name;          /**< NULL: the columns have no names */
    int32_t kind;              /**< DPSVM_NUMBER, DPSVM_ONEHOT or DPSVM_ORDINAL */
    int32_t feature;           /**< number of its (first) feature in sparse rows, from 0 */
    int32_t features;          /**< how many it takes there */
    int32_t value_count;       /**< of texts: the code book's size */
    const char *const *values; /**< of texts: the code book, value_count texts in its order */
    int32_t rest;              /**< of texts, 1: others count as one value more, the last feature */
    int32_t missing;           /**< 1: a value may be missing; 0: that is an error */
    double fill;               /**< of numbers: what stands for a missing value; NaN: none */
} dpsvm_column;

/** @brief Columns of a dense row. Of a model of a table (CSV, npy, arrays): the columns that predict,
 * in the training data's order, without label, weight, id and ignored ones. Of a model of LIBSVM or
 * other sparse rows: up to the last feature that training saw. */
DPSVM_API int32_t dpsvm_column_count(const dpsvm_model *model);

/** @brief Describes column j, 0 <= j < dpsvm_column_count().
 * @return DPSVM_OK, or DPSVM_CONFIG: no such column. */
DPSVM_API int dpsvm_column_get(const dpsvm_model *model, int32_t j, dpsvm_column *column);

/** @brief Features of a sparse row are numbered from 0 to below this; others are left out. */
DPSVM_API int32_t dpsvm_feature_count(const dpsvm_model *model);

/** @brief Name of feature f for people: "age", "colour = red", "feature 7" (counted from 1), cut to
 * `size` bytes, which end with a NUL.
 * @return its length without the NUL, or -1: no such feature. */
DPSVM_API int32_t dpsvm_feature_name(const dpsvm_model *model, int32_t f, char *buffer,
                                     size_t size);

/** @brief A fact of the model's file by its key (docs/model_format.md): "kernel.type", "map.width",
 * "solver.C", as its text, cut to `size` bytes, which end with a NUL.
 * @return its length without the NUL, or -1: there is no such key. */
DPSVM_API int32_t dpsvm_model_fact(const dpsvm_model *model, const char *key, char *buffer,
                                   size_t size);

/* ---- rows ----------------------------------------------------------------------------------- */

/** @brief Rows of numbers in the caller's memory, dense or sparse: exactly one of `dense`,
 * `dense_float` and `start` is not NULL.
 *
 * A dense row is the line of a table with the same numbers, columns as dpsvm_column_get() says; NaN
 * is a missing value. A number in a column of texts is the text that is written so ("3" for 3.0).
 *
 * A sparse row is a line of LIBSVM text with the same numbers: value[e] of feature index[e] for
 * start[i] <= e < start[i + 1]; features count from 0 and ascend within the row, those that are not
 * there are 0, those that training did not see are left out. NaN is a missing value in a column of
 * numbers of a table, else an error. Infinite values are errors everywhere. */
typedef struct dpsvm_rows {
    int64_t rows;             /**< number of rows, 0 or more */
    int32_t columns;          /**< dense: values a row; sparse, scoring: not used */
    int64_t stride;           /**< dense: numbers from one row to the next; 0: columns */
    const double *dense;      /**< rows x stride, row-major */
    const float *dense_float; /**< the same in single precision */
    const int64_t *start;     /**< rows + 1 */
    const int32_t *index;     /**< start[rows]; NULL if that is 0 */
    const double *value;      /**< start[rows]; NULL if that is 0 */
} dpsvm_rows;

/** @brief Where answers go, in the caller's memory; any pointer may be NULL. */
typedef struct dpsvm_answers {
    int32_t *label;      /**< rows: the class of each; not touched where numbers are predicted */
    double *score;       /**< rows x dpsvm_score_count(), row-major */
    double *probability; /**< rows x dpsvm_class_count(), row-major; DPSVM_CONFIG: there are none */
} dpsvm_answers;

/* ---- scoring -------------------------------------------------------------------------------- */

/** @brief A thread's buffers for a model, its threshold and how its text rows are read. */
typedef struct dpsvm_scorer dpsvm_scorer;

/** @brief Makes a scorer, which holds on to the model. End with dpsvm_scorer_free().
 * @param[out] scorer NULL on an error (DPSVM_MEMORY). */
DPSVM_API int dpsvm_scorer_new(dpsvm_scorer **scorer, const dpsvm_model *model, dpsvm_error *error);

/** @brief Ends a scorer; NULL is accepted. */
DPSVM_API void dpsvm_scorer_free(dpsvm_scorer *scorer);

/** @brief Of two classes: class k (0 or 1) is predicted where its value is above the threshold, else
 * the other. by_probability 0: its decision value (the score, of class 0 with its sign turned), 1: its
 * probability. As `predict --positive --threshold`. A new scorer: class 1, above score 0.
 * @return DPSVM_OK, or DPSVM_CONFIG: not a model of two classes, no such class, threshold not finite,
 * no probabilities. */
DPSVM_API int dpsvm_scorer_threshold(dpsvm_scorer *scorer, int32_t k, double threshold,
                                     int32_t by_probability, dpsvm_error *error);

/** @brief Scores rows of numbers, on the calling thread. One row costs a call's overhead of well under
 * a microsecond beside the arithmetic; nothing is allocated.
 * @return DPSVM_OK; DPSVM_DATA: a value or index, in row error->row; DPSVM_CONFIG: `columns` is not the
 * model's (dense rows of a model without a table may have any), or an answer that the model cannot
 * give; DPSVM_NUMERIC: a mapped value is not finite; DPSVM_MEMORY. */
DPSVM_API int dpsvm_score(dpsvm_scorer *scorer, const dpsvm_rows *rows,
                          const dpsvm_answers *answers, dpsvm_error *error);

/** @brief Values of the last call that belong to features or texts which training did not see, and
 * were left out. */
DPSVM_API int64_t dpsvm_scorer_unknown(const dpsvm_scorer *scorer);

/** @brief How text rows are read from here on.
 * @param format "csv", "tsv", "libsvm" or NULL: "csv" for a model of a table, else "libsvm".
 * @param delimiter of csv: the character between fields, 0: the format's own.
 * @param header a line of names, by which fields are matched with the model's columns as `predict`
 * matches those of a file (others are left out); NULL: the columns of the training data in their
 * order, with or without the label's.
 * @return DPSVM_OK; DPSVM_CONFIG: no such format, or not one for this model; DPSVM_DATA: the header
 * lacks a column; DPSVM_MEMORY. */
DPSVM_API int dpsvm_scorer_text(dpsvm_scorer *scorer, const char *format, char delimiter,
                                const char *header, dpsvm_error *error);

/** @brief Scores lines of text, on the calling thread: numbers, code books, missing values and fills
 * as the model has them. Blank lines and comments are no rows; a label in a line is passed over.
 * Numbers are written as the model's column writes them (docs/guide.md, decimal commas).
 * @param most room for answers, in rows; more rows are DPSVM_CONFIG.
 * @param[out] rows how many rows were scored; may be NULL.
 * @return as dpsvm_score(). */
DPSVM_API int dpsvm_score_text(dpsvm_scorer *scorer, const char *text, size_t length, int64_t most,
                               const dpsvm_answers *answers, int64_t *rows, dpsvm_error *error);

/** @brief Names of the values that dpsvm_score_values() gets from here on, in its order. Names that
 * the model does not have are left out. Models of tables with names only.
 * @return DPSVM_OK; DPSVM_CONFIG: the model's columns have no names; DPSVM_DATA: a column that
 * predicts is not among them; DPSVM_MEMORY. */
DPSVM_API int dpsvm_scorer_names(dpsvm_scorer *scorer, int32_t count, const char *const *names,
                                 dpsvm_error *error);

/** @brief Scores one row of texts: values[k] belongs to names[k] of dpsvm_scorer_names(), without that
 * to column k; a NULL is a missing value. As a line of CSV with the same fields.
 * @param count how many values there are.
 * @return as dpsvm_score(). */
DPSVM_API int dpsvm_score_values(dpsvm_scorer *scorer, int32_t count, const char *const *values,
                                 const dpsvm_answers *answers, dpsvm_error *error);

#ifdef __cplusplus
}
#endif

#endif
