/* What the parts of `dpsvm tune` share: the state of a search, and the group of settings at hand.
 */
#ifndef DPS_TUNE_STATE_H
#define DPS_TUNE_STATE_H

#include "journal.h"
#include "pace.h"
#include "training.h"
#include "tune.h"

typedef struct dps_tune_state {
    const dps_tune_request *request;
    const dps_run *run;          /* alone: ranks share units, not rows */
    const struct dps_comm *comm; /* the ranks that share them; NULL: none */
    dps_text shared, warnings;   /* with ranks: results for the others, lines for rank 0 to say */
    bool warned;                 /* of classes with fewer rows than folds */
    dps_run silent;
    dps_tune_result *result;
    dps_tune_space *space;
    dps_journal journal;
    /* the group at hand */
    dps_options options;
    dps_training training;
    dps_train_result planned;
    bool loaded, ready; /* rows; mapped rows */
    int64_t data_part, group, every;
    dps_row_source all_rows;
    int32_t *label;
    double *target; /* regression, else NULL */
    double *row_weight;
    int32_t *fold;
    uint64_t fingerprint;
    int64_t missing;
    dps_pace pace;   /* of all units */
    double deadline; /* run.time_limit: no path is begun after it; 0: none */
} dps_tune_state;

/* Options of the point's group; its rows are read unless they are there already. */
DPS_MUST_USE dps_status dps_tune_load_group(dps_tune_state *t, const dps_tune_point *point,
                                            dps_error *err);
/* Mapped rows of the point's group, unless they are at hand: settings that share a map share them.
 * Every `every`-th tile of rows; planned on all rows, also where few of them are used. */
DPS_MUST_USE dps_status dps_tune_enter_group(dps_tune_state *t, const dps_tune_point *point,
                                             int64_t every, dps_error *err);
/* Frees the group and its rows; accepts a zeroed state. */
void dps_tune_drop_data(dps_tune_state *t);

/* tune_units.c */
/* Which part of the search this process computes: a shard of its own, or a rank's; *parts: how many
 * there are. */
int64_t dps_tune_part(const dps_tune_state *t, int64_t *parts);
/* All units of the points still there, on every `every`-th tile: found in the journal or computed.
 * All ranks. */
DPS_MUST_USE dps_status dps_tune_round(dps_tune_state *t, int64_t every, dps_error *err);

/* tune_ranks.c, with ranks only. */
/* Puts a result of this rank with those that the others will get. */
void dps_tune_ranks_share(dps_tune_state *t, const dps_journal_entry *entry);
/* All: every rank's results into the journal of each, in memory. */
DPS_MUST_USE dps_status dps_tune_ranks_exchange(dps_tune_state *t, dps_error *err);

#endif
