/* Loading with a chosen chunk size, for tests: nothing may depend on it. */
#ifndef DPS_DATASET_INTERNAL_H
#define DPS_DATASET_INTERNAL_H

#include "dataset.h"

/* As dps_dataset_load; chunk_bytes 0: the source's own size. */
DPS_MUST_USE dps_status dps_dataset_load_chunked(const dps_load_options *options,
                                                 size_t chunk_bytes, const dps_run *run,
                                                 dps_dataset *data, dps_error *err);

#endif
