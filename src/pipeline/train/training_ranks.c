/* Task: refuse what several ranks cannot do together, with the way to do it. What is done gives the
 * bits of one rank, so that nothing here depends on how many there are. */
#include "training_ranks.h"

#include <string.h>
#include "comm.h"
#include "ordered_sum.h"
#include "shards.h"
#include "training.h"

void dps_ranks_choose_units(dps_training *t)
{
    const dps_settings *s = &t->settings;
    const bool newton = s->solver == &dps_solver_newton || (s->solver == NULL && s->loss->smooth);
    const int32_t shards = s->solver_settings.shards;
    t->settings.load.units = newton ? 0 : shards > 0 ? shards : 1;
}

/* Whether every rank owns whole shards. */
static bool owns_shards(const dps_training *t)
{
    const dps_comm *comm = t->run->comm;
    const int64_t rows = t->data.total_rows;
    const int64_t first = dps_rank_begin(dps_comm_rank(comm), dps_comm_size(comm), t->plan.shards,
                                         dps_tile_count(rows)) *
                          DPS_TILE_ROWS;
    return !dps_comm_any(comm, t->data.first_row != (first < rows ? first : rows));
}

dps_status dps_ranks_check_plan(dps_training *t, dps_error *err)
{
    const int ranks = dps_comm_size(t->run->comm);
    if (ranks == 1) {
        return DPS_OK;
    }
    if (dps_comm_any(t->run->comm, t->plan.span)) {
        return dps_options_error(t->options, DPS_OPT_map_features, err,
                                 "so many columns are trained in the span of all rows, by one "
                                 "process, this run has %d: start one, or lower map.features",
                                 ranks);
    }
    if (t->plan.solver != &dps_solver_newton && !owns_shards(t)) {
        return dps_options_error(t->options, DPS_OPT_solver_type, err,
                                 "with so many columns auto is %s, which must be known before rows "
                                 "are dealt to ranks: set solver.type = %s",
                                 t->plan.solver->name, t->plan.solver->name);
    }
    return DPS_OK;
}

dps_status dps_ranks_balance(dps_training *t, dps_error *err)
{
    const dps_comm *comm = t->run->comm;
    dps_balance *b = &t->result->cost.balance;
    (void)err;
    if (comm == NULL) {
        return DPS_OK;
    }
    b->ranks = dps_comm_size(comm);
    for (int k = 0; k < DPS_STAGE_COUNT; k++) {
        b->most[k] = t->result->cost.stage[k].seconds;
    }
    b->most[DPS_BALANCE_SUMS] = t->solution.sum_seconds;
    b->most[DPS_BALANCE_ROWS] = (double)t->data.x.rows;
    for (int k = 0; k < DPS_BALANCE_FIGURES; k++) {
        b->least[k] = -dps_comm_max(comm, -b->most[k]);
        b->most[k] = dps_comm_max(comm, b->most[k]);
    }
    return DPS_OK;
}
