/* State of a solver between two passes, epochs or steps, as a list of named pieces of memory in a
 * fixed order: writing them and reading them back continues to the same bits. The solver lists what
 * it cannot make again; whoever keeps it (pipeline/keep/checkpoint.c) knows nothing of solvers. */
#ifndef DPS_STATE_H
#define DPS_STATE_H

#include "solver.h"

typedef struct dps_state_part {
    const char *name; /* static text, no blanks */
    void *bytes;      /* the solver's */
    size_t size;
    bool of_rows; /* over ranks: of this rank's rows, else the same on all ranks */
} dps_state_part;

typedef struct dps_state {
    const char *solver; /* static text */
    int64_t iteration;  /* done, for people */
    dps_state_part *part;
    size_t count, capacity;
    bool failed; /* no memory for the list */
} dps_state;

/* Keeps states. run->keeper; NULL there: nothing is kept. */
typedef struct dps_keeper {
    void *context;
    /* Which solver's state is at hand; NULL: none. */
    const char *(*solver)(void *context);
    /* Fills the first state->count parts; a state that does not fit is an error. */
    dps_status (*load)(void *context, const dps_state *state, dps_error *err);
    /* Between two passes: saves if it is time to. DPS_ERROR_PAUSED: saved, and the work is to stop.
     */
    dps_status (*offer)(void *context, const dps_state *state, dps_error *err);
} dps_keeper;

void dps_state_add(dps_state *state, const char *name, void *bytes, size_t size);
/* An array with so many bytes for every row, in their order; of whole tiles for all but the last
 * rank. */
void dps_state_add_rows(dps_state *state, const char *name, void *bytes, size_t size);
#define DPS_STATE_ADD(state, name, lvalue) dps_state_add(state, name, &(lvalue), sizeof(lvalue))
/* What every solver needs of a solution: weights, certificates, counts, outcome. */
void dps_state_add_solution(dps_state *state, dps_solution *solution);
void dps_state_release(dps_state *state);

/* Whether a state of this solver is at hand, or of any. */
bool dps_state_waits(const dps_run *run, const char *solver);
bool dps_state_any_waits(const dps_run *run);
DPS_MUST_USE dps_status dps_state_load(const dps_run *run, const dps_state *state, dps_error *err);
DPS_MUST_USE dps_status dps_state_offer(const dps_run *run, const dps_state *state, dps_error *err);

#endif
