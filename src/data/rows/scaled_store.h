/* Scaled rows in a scratch file (scratch.h) instead of memory. Tiles that are asked for come in by
 * themselves; of the last ones that were, as many as a sixteenth of run->memory holds stay
 * resident, those before are given back. */
#ifndef DPS_SCALED_STORE_H
#define DPS_SCALED_STORE_H

#include "run.h"
#include "scaler.h"

/* Arrays for so many rows and entries (compressed rows: entries; dense: zeros) in a scratch file;
 * counts and shape of *rows are set by the caller. */
DPS_MUST_USE dps_status dps_scaled_rows_in_scratch(dps_scaled_rows *rows, bool dense,
                                                   int64_t entries, const dps_run *run,
                                                   dps_error *err);
/* Moves rows from memory to a scratch file; says so. Nothing where they lie in one. */
DPS_MUST_USE dps_status dps_scaled_rows_spill(dps_scaled_rows *rows, const dps_run *run,
                                              dps_error *err);

/* Gives the pages of tile t back; nothing for rows in memory. */
void dps_scaled_rows_rest(const dps_scaled_rows *rows, int64_t t);
/* The same for rows first ... first + count - 1 with the entries begin ... end - 1. */
void dps_scaled_rows_rest_part(const dps_scaled_rows *rows, int64_t first, int64_t count,
                               int64_t begin, int64_t end);

/* The line that says where the rows lie. */
void dps_scaled_rows_say(const dps_scaled_rows *rows, const dps_run *run);

/* Memory that the rows take: all of them, or what stays resident of a scratch file. */
size_t dps_scaled_rows_memory(const dps_scaled_rows *rows);
/* What it would be after a spill. */
size_t dps_scaled_rows_memory_spilled(const dps_scaled_rows *rows, const dps_run *run);

#endif
