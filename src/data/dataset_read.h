/* Steps of loading a data set (dataset.c): reading its rows and their weights. */
#ifndef DPS_DATASET_READ_H
#define DPS_DATASET_READ_H

#include "dataset.h"
#include "raw_rows.h"

/* The input in messages about all of it. */
const char *dps_dataset_shown_name(const dps_load_options *options);
/* All rows, from the files or from options->cache, and what data keeps of the input; says what was
 * passed over. known: a model's table, or NULL. chunk_bytes 0: the source's own size. */
DPS_MUST_USE dps_status dps_dataset_read_rows(const dps_load_options *options,
                                              const dps_read_options *read, const dps_table *known,
                                              size_t chunk_bytes, const dps_run *run,
                                              dps_raw_rows *raw, dps_dataset *data, dps_error *err);
/* Path of the file of weights into path[size]; false: there is no such file. */
bool dps_dataset_find_weights_file(const dps_load_options *options, char *path, size_t size);
/* Weights of the rows, from their file ("": none) or from the blocks. */
DPS_MUST_USE dps_status dps_dataset_collect_weights(dps_raw_rows *raw, const char *file,
                                                    const dps_run *run, dps_dataset *data,
                                                    dps_error *err);

#endif
