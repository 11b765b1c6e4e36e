/* Memory that lies in files: for data larger than run.memory. A block is a file of its own in
 * run.scratch that has no name (nothing is left behind, however the process ends), with all its
 * space taken from the start, mapped and shared with the file. Pages that are given back leave the
 * process, not the file: the next access brings them in again. */
#ifndef DPS_SCRATCH_H
#define DPS_SCRATCH_H

#include "run.h"

/* The most that touching a byte may bring in, and that giving it back takes. */
#define DPS_SCRATCH_AROUND ((size_t)2 << 20)

/* The folder: run->scratch, else $TMPDIR, else /tmp. */
const char *dps_scratch_folder(const dps_run *run);

/* A zeroed block of `size` bytes, aligned to 2 MiB or a page. A folder that cannot be written or
 * is full is an error that names run.scratch. */
DPS_MUST_USE dps_status dps_scratch_new(void **block, size_t size, const dps_run *run,
                                        dps_error *err);
/* Gives the block and its disk space back. block = NULL: nothing. */
void dps_scratch_free(void *block, size_t size);

/* Gives the pages around bytes[size] of a block back (up to 2 MiB more on both sides) to the
 * system; their content stays. Any thread may do so at any time, also while others read or write
 * them. Never for memory that is not of a scratch block. */
void dps_scratch_rest(const void *bytes, size_t size);

#endif
