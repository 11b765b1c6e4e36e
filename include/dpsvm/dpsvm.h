/**
 * @file dpsvm/dpsvm.h
 * @brief libdpsvm: training, and all of libdpsvm-score (dpsvm/score.h), which is included.
 *
 * Errors, ownership and threads as there. Training sets no signal handler and changes nothing of the
 * process: it runs its loops on as many OpenMP threads as the setting run.threads says (auto: the
 * processors that the process may use), without touching OpenMP's own settings. Several trainings may
 * run at once, each on a thread of its own.
 */
#ifndef DPSVM_H
#define DPSVM_H

#include <dpsvm/score.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief What a training is at. */
typedef struct dpsvm_progress {
    const char *stage; /**< "read", "map", "newton", ... */
    double fraction;   /**< of the stage, 0 to 1; below 0: not known */
    int64_t iteration; /**< pass or step of the solver; -1: not in it */
    double objective;  /**< primal objective; NaN: none yet */
    double gap;        /**< relative duality gap; NaN: none yet */
    double target;     /**< value of `gap` that ends the work; NaN: none */
} dpsvm_progress;

/** @brief How much a message matters. */
enum {
    DPSVM_WARNING = 1, /**< something to look at */
    DPSVM_NOTE = 2     /**< what `dpsvm train` says */
};

/** @brief What is to be trained. Zero it first (`dpsvm_training t = {0};`), then set what is needed. */
typedef struct dpsvm_training {
    /** An INI file of settings that is read first; NULL: none. */
    const char *config;
    /** Texts "section.key=value" (docs/options.md), applied in order. */
    const char *const *settings;
    size_t setting_count; /**< how many settings there are */

    /** The rows; rows.rows = 0: those of the files of the setting data.train. Dense rows make a model
     * of a table, sparse rows one of LIBSVM rows: the same bytes as a file of the same rows. NaN in
     * dense rows is a missing value (setting data.missing). */
    dpsvm_rows rows;
    /** rows numbers: to predict (setting solver.task=regression), or labels of classes. */
    const double *target;
    /** rows texts: labels of classes; instead of target. */
    const char *const *label;
    /** rows numbers above 0: what each row counts; NULL: 1. As a file of weights (data.weights). */
    const double *weight;
    /** Dense rows: rows.columns names; NULL: the columns have none. */
    const char *const *name;
    /** Name of the target, which stands behind the columns in the model's table; NULL: "label". Used
     * where `name` is given. */
    const char *label_name;

    /** Called at each step of the work, by one thread at a time, which need not be the caller's;
     * not 0: stop, the training ends soon with DPSVM_STOPPED. NULL: none. */
    int (*progress)(void *context, const dpsvm_progress *progress);
    /** Gets warnings and notes, a line each, in the same way; NULL: none. */
    void (*message)(void *context, int level, const char *text);
    void *context; /**< handed to both */
} dpsvm_training;

/** @brief Trains a model, as `dpsvm train` does. The model's file is written if the setting
 * output.model is given; other files (output.report, output.curve) as their settings say.
 * @param[out] model open, of the same bits as its file read back; NULL on an error. End with
 * dpsvm_model_close().
 * @return DPSVM_OK; DPSVM_CONFIG: a setting; DPSVM_DATA: rows or labels, with error->row where one is
 * at fault; DPSVM_IO; DPSVM_MEMORY; DPSVM_NUMERIC; DPSVM_STOPPED. */
DPSVM_API int dpsvm_train(dpsvm_model **model, const dpsvm_training *training, dpsvm_error *error);

/** @brief The content of the model's file. End with dpsvm_bytes_free().
 * @param[out] bytes NULL on an error (DPSVM_MEMORY).
 * @param[out] size their number. */
DPSVM_API int dpsvm_model_bytes(const dpsvm_model *model, void **bytes, size_t *size,
                                dpsvm_error *error);

/** @brief Gives back what dpsvm_model_bytes() made; NULL is accepted. */
DPSVM_API void dpsvm_bytes_free(void *bytes);

/** @brief Writes the model's file: all of it, or `path` is as it was.
 * @return DPSVM_OK, DPSVM_IO or DPSVM_MEMORY. */
DPSVM_API int dpsvm_model_save(const dpsvm_model *model, const char *path, dpsvm_error *error);

/** @brief dpsvm_score() on several threads, with the scorer's threshold; the same bits.
 * @param threads at most so many, the caller's among them; 0: as many processors as the process may
 * use. */
DPSVM_API int dpsvm_score_threads(dpsvm_scorer *scorer, int32_t threads, const dpsvm_rows *rows,
                                  const dpsvm_answers *answers, dpsvm_error *error);

#ifdef __cplusplus
}
#endif

#endif
