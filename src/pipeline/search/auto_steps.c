/* Task: the trials of kernel.type = auto, one step after the other, each fixed before the next.
 * Every trial is scored by squared losses on shared factors (ridge.h): many classes cost little. On
 * the first sample, with D = 512 random features, 2048 up to 1024 rows and 4096 up to 256; up to
 * 1024 rows an RBF by its kernel (kernel_gram.h), for 4096:
 *   scaling   linear and RBF on the rows as loaded and in the other scaling (trial_rows.h); that
 *             only where the best of the two is better by more than one standard error
 *   refined   an RBF by 32 features that move by the labels (auto_refined.c). Where it is better
 *             than linear and RBF by two standard errors the next two steps are left out
 *   kernel    polynomials of degree 2..4 by exact monomials (the highest of at most 600 columns),
 *             polynomial of degree 10 by random features, Laplacian
 *   width     of the better of RBF and Laplacian: 4 and 1/4 times the median heuristic, on to 64 or
 *             1/64 while that gains as below
 * On the second sample, with 2 D:
 *   finals    the linear kernel, and the two best of the others, without those that were worse
 *             than the best by more than two standard errors. The better of the Fourier maps is
 *             taken, because D and gamma can still grow with it; a polynomial only where it is
 *             better by more than one standard error; linear unless that is better by as much.
 *             Up to 1024 rows wider Fourier kernels are tried again first
 *   features  4 times the gamma, if that is better, because more features carry a narrower kernel;
 *             then D doubled; both again while the doubling lowers the loss by 2 % (and raises
 *             accuracy by a quarter of a point)
 *   refined   twice the features while that gains as above, unless a line is as good; taken
 *             unless a drawn map gains as much
 *   C         once more, of a drawn map: 1/16, 1/4, 1 and 4 times; up to 1024 rows half and twice
 *             the gamma first, then C in steps of 2
 * C: 2^-1, 2^3, 2^7, 2^11 first, linear 2^-5 too; then 1/16, 1 and 16 times (width) or 1/4, 1 and 4
 * times (finals) the last one; of several the smallest whose loss is at most 0.5 % above the least
 * (auto_trial.c). With 4 times the gamma a fourth of it in the middle, with twice the D twice it.
 * Rows of more than 4096 columns: linear at once. Bounds: DPS_AUTO_TRIALS trials; flops of a trial
 * at most 2^37 where D is larger than at first; models x rows x min(rows, D)^2 of the training at
 * most 2^38, for 4 models and more 2^40: many classes need more features. Never fewer features than
 * at first: few rows need as many as others, and their systems are of the rows.
 *
 * Why in steps and not a grid: five choices of a few values each would be hundreds of trials, and
 * they are nearly independent (the median heuristic takes the scale out of gamma, map.scale = unit
 * out of C). */
#include <math.h>
#include "allocation.h"
#include "auto_private.h"
#include "ridge.h"

enum {
    EXACT_COLUMNS = 600,
    HIGHEST_EXACT = 4,
    RANDOM_DEGREE = 10,
    FINALISTS = 2,
    KERNELS = DPS_AUTO_LAPLACIAN + 1
};
static const double trial_work = 0x1p37;
static const double widest = 64; /* multiple of the median heuristic */

/* ---- trials ---------------------------------------------------------------------------------- */

/* First look at a kernel. */
static dps_status look_at(dps_auto_seeker *s, dps_auto_kernel kernel, int32_t degree, int32_t view,
                          int32_t *index, dps_error *err)
{
    const dps_auto_trial trial = {.kernel = kernel,
                                  .degree = degree,
                                  .view = view,
                                  .features = dps_auto_first_features(s, kernel),
                                  .multiple = 1};
    const dps_auto_costs range = {8, 4, kernel == DPS_AUTO_LINEAR ? 2 : 1, 2};
    return dps_auto_try(s, &s->bench, trial, range, index, err);
}

/* Trial a where it is better than b by more than one standard error, else b. */
static int32_t if_clearly(const dps_auto_seeker *s, int32_t a, int32_t b)
{
    if (a < 0 || b < 0) {
        return a < 0 ? b : a;
    }
    const dps_spread by = dps_auto_gain(s, a, b);
    return by.mean > by.error ? a : b;
}

/* ---- the first sample ------------------------------------------------------------------------ */

/* Trials by kernel; -1: none. */
typedef struct best_trials {
    int32_t of[KERNELS];
} best_trials;

/* Linear and RBF in view v. */
static dps_status look_in_view(dps_auto_seeker *s, int32_t v, int32_t *linear, int32_t *rbf,
                               dps_error *err)
{
    const bool wide = s->sample.own.x.columns > DPS_AUTO_WIDEST;
    DPS_TRY(look_at(s, DPS_AUTO_LINEAR, 1, v, linear, err));
    return wide ? DPS_OK : look_at(s, DPS_AUTO_RBF, 1, v, rbf, err);
}

/* Columns bent: where even the linear kernel gains by that. */
static dps_status look_bent(dps_auto_seeker *s, int32_t v, int32_t before, int32_t *linear,
                            int32_t *rbf, dps_error *err)
{
    DPS_TRY(look_at(s, DPS_AUTO_LINEAR, 1, v, linear, err));
    return if_clearly(s, *linear, before) == *linear ? look_at(s, DPS_AUTO_RBF, 1, v, rbf, err)
                                                     : DPS_OK;
}

static dps_status choose_scaling(dps_auto_seeker *s, best_trials *best, dps_error *err)
{
    int32_t linear[DPS_VIEWS] = {-1, -1, -1, -1}, rbf[DPS_VIEWS] = {-1, -1, -1, -1};
    int32_t view = 0, top = -1;
    for (int32_t v = 0; v < s->sample.views; v++) {
        const bool bent = s->sample.view[v].kind >= DPS_VIEW_LOG;
        DPS_TRY(bent ? look_bent(s, v, linear[view], &linear[v], &rbf[v], err)
                     : look_in_view(s, v, &linear[v], &rbf[v], err));
        const int32_t own = dps_auto_better(s, rbf[v], linear[v]) ? rbf[v] : linear[v];
        if (if_clearly(s, own, top) != top) {
            top = own;
            view = v;
        }
    }
    best->of[DPS_AUTO_LINEAR] = linear[view];
    best->of[DPS_AUTO_RBF] = rbf[view];
    return DPS_OK;
}

/* Highest degree whose monomials of d variables are at most EXACT_COLUMNS; 1: not even 2. */
static int32_t exact_degree(int32_t d)
{
    double columns = d + 1.0;
    int32_t degree = 1;
    while (degree < HIGHEST_EXACT) {
        columns = columns * (d + degree + 1.0) / (degree + 1.0);
        if (columns > EXACT_COLUMNS) {
            break;
        }
        degree++;
    }
    return degree;
}

static dps_status choose_kernels(dps_auto_seeker *s, best_trials *best, dps_error *err)
{
    const int32_t rbf = best->of[DPS_AUTO_RBF];
    const int32_t view = rbf >= 0 ? s->search->trial[rbf].view : 0;
    const int32_t degree = exact_degree(s->sample.own.x.columns);
    dps_status status = DPS_OK;
    if (degree >= 2) {
        status = look_at(s, DPS_AUTO_EXACT, degree, view, &best->of[DPS_AUTO_EXACT], err);
    }
    DPS_THEN(status, look_at(s, DPS_AUTO_MACLAURIN, RANDOM_DEGREE, view,
                             &best->of[DPS_AUTO_MACLAURIN], err));
    DPS_THEN(status, look_at(s, DPS_AUTO_LAPLACIAN, 1, view, &best->of[DPS_AUTO_LAPLACIAN], err));
    return status;
}

/* From trial *now on: `way` times the gamma while that is better. */
static dps_status widen(dps_auto_seeker *s, double way, int32_t *now, bool *moved, dps_error *err)
{
    dps_status status = DPS_OK;
    for (bool go = true; go && status == DPS_OK;) {
        const dps_auto_trial *from = &s->search->trial[*now];
        dps_auto_trial trial = dps_auto_again(from);
        int32_t at;
        trial.multiple *= way;
        if (trial.multiple > widest || trial.multiple < 1 / widest) {
            break;
        }
        status = dps_auto_try(s, &s->bench, trial, (dps_auto_costs){from->C, 4, 1, 1}, &at, err);
        go = status == DPS_OK && at >= 0 &&
             dps_auto_gain(s, at, *now).mean >= dps_auto_least_gain(s->search, from);
        *now = go ? at : *now;
        *moved = *moved || go;
    }
    return status;
}

static dps_status choose_width(dps_auto_seeker *s, best_trials *best, dps_error *err)
{
    const int32_t rbf = best->of[DPS_AUTO_RBF], laplacian = best->of[DPS_AUTO_LAPLACIAN];
    if (rbf < 0 && laplacian < 0) {
        return DPS_OK;
    }
    const bool first = rbf >= 0 && !dps_auto_better(s, laplacian, rbf);
    int32_t *now = &best->of[first ? DPS_AUTO_RBF : DPS_AUTO_LAPLACIAN];
    bool moved = false;
    DPS_TRY(widen(s, 4, now, &moved, err));
    if (!moved) {
        DPS_TRY(widen(s, 0.25, now, &moved, err));
    }
    return DPS_OK;
}

/* ---- the second sample ----------------------------------------------------------------------- */

/* Flops of a trial (ridge.h): inner products once; for each value of C a factor, by rows one a
 * fold, and the steps of all folds' models. */
static double work_of(const dps_auto_seeker *s, double width, int32_t values)
{
    const double rows = (double)dps_auto_final_sample(s)->own.x.rows;
    const double folds = s->final_bench.folds, models = folds * dps_auto_models(s->base);
    const double steps = DPS_AUTO_MORE_STEPS * models;
    return rows <= DPS_RIDGE_ROWS && rows <= width
               ? rows * rows * width +
                     values * (folds * rows * rows * rows / 3 + steps * 2 * rows * rows)
               : rows * width * width +
                     values * (width * width * width / 3 + steps * 4 * (rows + width) * width);
}

/* The best kernel that is not linear among `best`, which leaves it; -1: none that comes within two
 * standard errors of `top`, itself the best where it is < 0. */
static int32_t take_finalist(const dps_auto_seeker *s, best_trials *best, int32_t top)
{
    int32_t kernel = -1;
    for (int32_t k = DPS_AUTO_LINEAR + 1; k < KERNELS; k++) {
        if (best->of[k] >= 0 && (kernel < 0 || dps_auto_better(s, best->of[k], best->of[kernel]))) {
            kernel = k;
        }
    }
    if (kernel < 0) {
        return -1;
    }
    const int32_t found = best->of[kernel];
    best->of[kernel] = -1;
    if (top >= 0) {
        const dps_spread by = dps_auto_gain(s, top, found);
        return by.mean > 2 * by.error ? -1 : found;
    }
    return found;
}

static dps_status play(dps_auto_seeker *s, int32_t from, int32_t *at, dps_error *err)
{
    const dps_auto_trial *first = &s->search->trial[from];
    dps_auto_trial trial = dps_auto_again(first);
    if (trial.features > 0 && !s->fixed_features && dps_auto_trainable(s, 2 * trial.features) &&
        work_of(s, 2 * trial.features, 3) <= trial_work) {
        trial.features *= 2;
    }
    return dps_auto_try(s, &s->final_bench, trial, (dps_auto_costs){first->C, 2, 1, 1}, at, err);
}

/* Trials are cheap then, and their differences small. */
static bool has_few_rows(const dps_auto_seeker *s)
{
    return s->search->final_rows == 0 && s->search->rows <= DPS_RIDGE_ROWS;
}

/* Whether the first look at few rows, which are the second's too, found the same map worse than
 * trial `than` by more than two standard errors. */
static bool was_worse(const dps_auto_seeker *s, const dps_auto_trial *trial, int32_t than)
{
    bool worse = false;
    for (int32_t k = 0; has_few_rows(s) && k < s->search->count; k++) {
        const dps_auto_trial *before = &s->search->trial[k];
        if (before->kernel == trial->kernel && before->view == trial->view && before->works &&
            before->multiple == trial->multiple && before->features == trial->features) {
            const dps_spread by = dps_auto_gain(s, than, k);
            worse = by.mean > 2 * by.error;
        }
    }
    return worse;
}

/* 4 times (octaves 2) or a fourth (-2) of the gamma, at a fourth or 4 times the C; *at: -1 if not
 * better.
 */
static dps_status other_width(dps_auto_seeker *s, int32_t from, int octaves, int32_t *at,
                              dps_error *err)
{
    const dps_auto_trial *now = &s->search->trial[from];
    dps_auto_trial trial = dps_auto_again(now);
    trial.multiple = ldexp(trial.multiple, octaves);
    *at = -1;
    if (!dps_auto_is_fourier(now) || trial.multiple > widest || trial.multiple < 1 / widest ||
        was_worse(s, &trial, from)) {
        return DPS_OK;
    }
    const dps_auto_costs range = {ldexp(now->C, -octaves), 2, 1, 1};
    const dps_status status = dps_auto_try(s, &s->final_bench, trial, range, at, err);
    *at = status == DPS_OK && dps_auto_better(s, *at, from) ? *at : -1;
    return status;
}

/* Where one sample serves for all, D has grown since the width was chosen, and trials are cheap:
 * wider kernels once more while they are better. */
static dps_status wider(dps_auto_seeker *s, int32_t *fourier, dps_error *err)
{
    dps_status status = DPS_OK;
    int32_t at = has_few_rows(s) ? *fourier : -1;
    while (at >= 0 && status == DPS_OK) {
        *fourier = at;
        status = other_width(s, *fourier, -2, &at, err);
    }
    return status;
}

/* ---- the winner ------------------------------------------------------------------------------ */

/* *line, *chosen: the linear kernel and the winner on the second sample, or -1. */
static dps_status finals(dps_auto_seeker *s, best_trials best, int32_t *line, int32_t *chosen,
                         dps_error *err)
{
    int32_t linear = -1, fourier = -1, polynomial = -1, top = -1;
    dps_status status = DPS_OK;
    if (best.of[DPS_AUTO_LINEAR] >= 0) {
        status = play(s, best.of[DPS_AUTO_LINEAR], &linear, err);
    }
    for (int k = 0; k < FINALISTS && status == DPS_OK; k++) {
        const int32_t finalist = take_finalist(s, &best, top);
        int32_t at;
        if (finalist < 0) {
            break;
        }
        top = top < 0 ? finalist : top;
        status = play(s, finalist, &at, err);
        int32_t *of = dps_auto_is_fourier(&s->search->trial[finalist]) ? &fourier : &polynomial;
        *of = dps_auto_better(s, at, *of) ? at : *of;
    }
    DPS_THEN(status, wider(s, &fourier, err));
    *line = linear;
    *chosen = if_clearly(s, if_clearly(s, polynomial, fourier), linear);
    return status;
}

static bool can_double(const dps_auto_seeker *s, int32_t features)
{
    return dps_auto_trainable(s, 2 * features) && work_of(s, 2 * features, 1) <= trial_work / 2;
}

static dps_status choose_features(dps_auto_seeker *s, int32_t *chosen, dps_error *err)
{
    bool go = !s->fixed_features && s->search->trial[*chosen].features > 0;
    while (go) {
        int32_t at;
        DPS_TRY(other_width(s, *chosen, 2, &at, err));
        *chosen = at >= 0 ? at : *chosen;
        const dps_auto_trial *now = &s->search->trial[*chosen];
        dps_auto_trial trial = dps_auto_again(now);
        trial.features *= 2;
        if (!can_double(s, now->features)) {
            break;
        }
        DPS_TRY(dps_auto_try(s, &s->final_bench, trial, (dps_auto_costs){2 * now->C, 0, 0, 0}, &at,
                             err));
        go = at >= 0 && dps_auto_gain(s, at, *chosen).mean >= dps_auto_least_gain(s->search, now);
        *chosen = go ? at : *chosen;
    }
    return DPS_OK;
}

/* Half and twice the gamma where rows are few and trials cheap; then C in steps of 4 down, or of 2
 * both ways. */
static dps_status polish(dps_auto_seeker *s, int32_t *chosen, dps_error *err)
{
    const bool few = has_few_rows(s);
    int32_t at = -1;
    if (few) {
        DPS_TRY(other_width(s, *chosen, 1, &at, err));
    }
    if (few && at < 0) {
        DPS_TRY(other_width(s, *chosen, -1, &at, err));
    }
    *chosen = at >= 0 ? at : *chosen;
    const dps_auto_trial *now = &s->search->trial[*chosen];
    const dps_auto_costs range = {now->C, few ? 1 : 2, 2, few ? 2 : 1};
    DPS_TRY(dps_auto_try(s, &s->final_bench, dps_auto_again(now), range, &at, err));
    *chosen = at >= 0 ? at : *chosen;
    return DPS_OK;
}

/* Of the drawn map (or linear kernel) *chosen and a refined one, which is the smaller and faster
 * model: the linear kernel unless the refined map is clearly better, a drawn map where it gains as
 * much as more features must. It may grow first, unless the refined map is far ahead. */
static dps_status choose_among(dps_auto_seeker *s, int32_t refined, int32_t *chosen, dps_error *err)
{
    const dps_auto_trial *all = s->search->trial;
    if (*chosen < 0 || refined < 0) {
        *chosen = *chosen < 0 ? refined : *chosen;
        return refined < 0 ? choose_features(s, chosen, err) : DPS_OK;
    }
    if (all[*chosen].features == 0) {
        *chosen = if_clearly(s, refined, *chosen);
        return DPS_OK;
    }
    const dps_spread by = dps_auto_gain(s, refined, *chosen);
    if (!(by.mean > 2 * by.error)) {
        DPS_TRY(choose_features(s, chosen, err));
    }
    const double drawn = dps_auto_gain(s, *chosen, refined).mean;
    *chosen = drawn >= dps_auto_least_gain(s->search, &all[refined]) ? *chosen : refined;
    return DPS_OK;
}

/* Of the trials on the first or the second sample; -1: none. */
static int32_t best_of(const dps_auto_search *search, bool final)
{
    const bool loss = search->metric == DPS_METRIC_RMSE || search->metric == DPS_METRIC_LOG_LOSS;
    int32_t best = -1;
    for (int32_t k = 0; k < search->count; k++) {
        const dps_auto_trial *trial = &search->trial[k];
        if (trial->works && trial->final == final) {
            const double gain = best < 0 ? 0 : trial->spread.mean - search->trial[best].spread.mean;
            best = best < 0 || (loss ? gain < 0 : gain > 0) ? k : best;
        }
    }
    return best;
}

/* Where run.time_limit ended the search: the best of the second sample, once the best kernel of the
 * first has been tried there, else that. */
static int32_t best_so_far(const dps_auto_search *search)
{
    const int32_t first = best_of(search, false), last = best_of(search, true);
    bool met = first < 0;
    for (int32_t k = 0; k < search->count && !met; k++) {
        const dps_auto_trial *trial = &search->trial[k];
        met = trial->works && trial->final && trial->kernel == search->trial[first].kernel &&
              trial->refined == search->trial[first].refined;
    }
    return last >= 0 && met ? last : first;
}

dps_status dps_auto_steps(dps_auto_seeker *s, dps_error *err)
{
    dps_auto_search *search = s->search;
    best_trials best = {.of = {-1, -1, -1, -1, -1}};
    int32_t line = -1, chosen = -1, refined = -1;
    bool settled = false;
    DPS_TRY(choose_scaling(s, &best, err));
    DPS_TRY(dps_auto_try_refined(s, best.of[DPS_AUTO_LINEAR], best.of[DPS_AUTO_RBF], &refined,
                                 &settled, err));
    if (settled) {
        best.of[DPS_AUTO_RBF] = -1;
    } else if (s->sample.own.x.columns <= DPS_AUTO_WIDEST) {
        DPS_TRY(choose_kernels(s, &best, err));
        DPS_TRY(choose_width(s, &best, err));
    }
    DPS_TRY(finals(s, best, &line, &chosen, err));
    if (refined >= 0) {
        DPS_TRY(dps_auto_grow_refined(s, line, &refined, err));
    }
    if (search->cut) {
        chosen = best_so_far(search);
        refined = -1;
    }
    if (chosen < 0 && refined < 0) {
        return dps_error_set(err, DPS_ERROR_CONFIG,
                             "kernel.type = auto finds no kernel that works (%s): name one, as in "
                             "kernel.type = linear",
                             search->trial[0].reason);
    }
    DPS_TRY(choose_among(s, refined, &chosen, err));
    if (!search->trial[chosen].refined) {
        DPS_TRY(polish(s, &chosen, err));
    }
    search->chosen = chosen;
    return DPS_OK;
}
