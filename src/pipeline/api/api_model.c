/* Task: what libdpsvm has beside libdpsvm-score: models to bytes and files, and scoring on several
 * threads. */
#include <dpsvm/dpsvm.h>

#include "allocation.h"
#include "job_limits.h"
#include "serve.h"

int dpsvm_model_bytes(const dpsvm_model *model, void **bytes, size_t *size, dpsvm_error *error)
{
    dps_error err;
    dps_text text = {0};
    const dps_status status = dps_model_write_bytes(&model->model, &text, &err);
    *bytes = NULL;
    *size = 0;
    if (status == DPS_OK) {
        *bytes = text.data;
        *size = text.length;
    } else {
        dps_text_release(&text);
    }
    return dps_serve_told(status, &err, -1, error);
}

void dpsvm_bytes_free(void *bytes)
{
    dps_free(bytes);
}

int dpsvm_model_save(const dpsvm_model *model, const char *path, dpsvm_error *error)
{
    dps_error err;
    return dps_serve_told(dps_model_save(&model->model, path, &err), &err, -1, error);
}

/* ---- threads ---- */

/* What the threads share; `next` and `error` are touched inside critical(dps_api) only. */
typedef struct sharing {
    const dpsvm_scorer *like;
    const dpsvm_rows *rows;
    const dpsvm_answers *answers;
    int64_t piece, next, unknown;
    dpsvm_error error;
    int code;
} sharing;

static void note_error(sharing *s, int code, const dpsvm_error *error)
{
    const bool earlier = error->row >= 0 && s->error.row >= 0 && error->row < s->error.row;
    if (s->code == DPSVM_OK || earlier) {
        s->code = code;
        s->error = *error;
    }
}

/* Before the first piece after an error, pieces that were taken are finished: the error is that of
 * the first row at fault. */
static void score_pieces(sharing *s)
{
    dpsvm_scorer *scorer;
    dpsvm_error error;
    int code = dpsvm_scorer_new(&scorer, s->like->model, &error);
    if (code == DPSVM_OK) {
        scorer->decision = s->like->decision;
    }
    for (;;) {
        int64_t first;
#pragma omp critical(dps_api)
        {
            if (code != DPSVM_OK) {
                note_error(s, code, &error);
            }
            first = s->code == DPSVM_OK ? s->next : s->rows->rows;
            s->next += s->piece;
        }
        if (first >= s->rows->rows) {
            break;
        }
        const int64_t left = s->rows->rows - first;
        dps_error err;
        int64_t row;
        const dps_status status = dps_serve_rows(scorer, s->rows, s->answers, first,
                                                 left < s->piece ? left : s->piece, &row, &err);
        code = dps_serve_told(status, &err, row, &error);
#pragma omp critical(dps_api)
        s->unknown += scorer->unknown;
    }
    dpsvm_scorer_free(scorer);
}

int dpsvm_score_threads(dpsvm_scorer *scorer, int32_t threads, const dpsvm_rows *rows,
                        const dpsvm_answers *answers, dpsvm_error *error)
{
    const int64_t piece = 4 * DPS_TILE_ROWS;
    const int64_t pieces = rows->rows / piece + 1;
    const long most = pieces < 2 ? 1 : (long)dps_limit_threads(threads > 0 ? threads : 0).value;
    if (most < 2) {
        return dpsvm_score(scorer, rows, answers, error);
    }
    sharing s = {.like = scorer, .rows = rows, .answers = answers, .piece = piece};
    const int team = (int)(pieces < most ? pieces : most);
#pragma omp parallel num_threads(team)
    score_pieces(&s);
    scorer->unknown = s.unknown;
    if (error != NULL) {
        error->code = DPSVM_OK;
        error->row = -1;
        error->text[0] = '\0';
        if (s.code != DPSVM_OK) {
            *error = s.error;
        }
    }
    return s.code;
}
