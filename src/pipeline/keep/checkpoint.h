/* Checkpoints of training: the solver's state in a file, with what it belongs to. */
#ifndef DPS_CHECKPOINT_H
#define DPS_CHECKPOINT_H

#include "options.h"
#include "state.h"

typedef struct dps_checkpoint dps_checkpoint;

/* All: NULL without run.checkpoint. Rank 0 looks at a file that is there already: with run.resume =
 * auto or on one that is damaged, of another version or of other options is refused here, before
 * any work; with off it counts as absent. Removes what killed runs left of unfinished checkpoints.
 * options and run outlive it; `began`: when the run began, of dps_now. */
DPS_MUST_USE dps_status dps_checkpoint_open(dps_checkpoint **checkpoint, const dps_options *options,
                                            double began, const dps_run *run, dps_error *err);
/* Tells the fingerprint of the data; refuses a file of other data. To be called before `run`. */
DPS_MUST_USE dps_status dps_checkpoint_data(dps_checkpoint *checkpoint, uint64_t data,
                                            dps_error *err);
/* The run for the solver: it ends between passes only, with DPS_ERROR_PAUSED; over ranks on all of
 * them, whichever got the signal. */
dps_run dps_checkpoint_run(dps_checkpoint *checkpoint);
/* Whether a file is there that a next run can go on from. */
bool dps_checkpoint_saved(const dps_checkpoint *checkpoint);
/* The work is done: removes the file. */
void dps_checkpoint_done(dps_checkpoint *checkpoint);
void dps_checkpoint_close(dps_checkpoint *checkpoint); /* accepts NULL */

#endif
