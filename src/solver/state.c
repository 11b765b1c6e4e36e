/* Task: the list of a solver's state, and the way to whoever keeps it. Cost without a keeper: a
 * comparison a pass. */
#include "state.h"

#include <string.h>

#include "allocation.h"

void dps_state_add(dps_state *state, const char *name, void *bytes, size_t size)
{
    if (state->failed || !DPS_GROW(state->part, state->capacity, state->count + 1)) {
        state->failed = true;
        return;
    }
    state->part[state->count++] = (dps_state_part){.name = name, .bytes = bytes, .size = size};
}

void dps_state_add_rows(dps_state *state, const char *name, void *bytes, size_t size)
{
    dps_state_add(state, name, bytes, size);
    if (!state->failed) {
        state->part[state->count - 1].of_rows = true;
    }
}

void dps_state_add_solution(dps_state *state, dps_solution *solution)
{
    const size_t models = (size_t)solution->models;
    DPS_STATE_ADD(state, "outcome", solution->outcome);
    DPS_STATE_ADD(state, "iterations", solution->iterations);
    DPS_STATE_ADD(state, "row_visits", solution->row_visits);
    for (size_t k = 0; k < models; k++) {
        DPS_STATE_ADD(state, "primal", solution->certificate[k].primal);
        DPS_STATE_ADD(state, "dual", solution->certificate[k].dual);
        DPS_STATE_ADD(state, "gap", solution->certificate[k].gap);
    }
    dps_state_add(state, "w", solution->w, models * solution->length * sizeof(double));
}

void dps_state_release(dps_state *state)
{
    dps_free(state->part);
    *state = (dps_state){0};
}

static const char *at_hand(const dps_run *run)
{
    return run->keeper == NULL ? NULL : run->keeper->solver(run->keeper->context);
}

bool dps_state_waits(const dps_run *run, const char *solver)
{
    const char *name = at_hand(run);
    return name != NULL && strcmp(name, solver) == 0;
}

bool dps_state_any_waits(const dps_run *run)
{
    return at_hand(run) != NULL;
}

static dps_status check_list(const dps_state *state, dps_error *err)
{
    return state->failed ? dps_out_of_memory(err, state->count + 1, sizeof *state->part,
                                             "the list of a checkpoint")
                         : DPS_OK;
}

dps_status dps_state_load(const dps_run *run, const dps_state *state, dps_error *err)
{
    DPS_TRY(check_list(state, err));
    return run->keeper->load(run->keeper->context, state, err);
}

dps_status dps_state_offer(const dps_run *run, const dps_state *state, dps_error *err)
{
    if (run->keeper == NULL) {
        return DPS_OK;
    }
    DPS_TRY(check_list(state, err));
    return run->keeper->offer(run->keeper->context, state, err);
}
