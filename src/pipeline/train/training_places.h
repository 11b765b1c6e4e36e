/* The places that a training run writes to and reads last. */
#ifndef DPS_TRAINING_PLACES_H
#define DPS_TRAINING_PLACES_H

#include "options.h"

/* Outputs can be written and are apart from each other and from the inputs; test and validation
 * files can be read. searches: run.time_limit is one of a search, which needs no checkpoint. */
DPS_MUST_USE dps_status dps_training_probe_places(const dps_options *options,
                                                  const char *validation, bool searches,
                                                  dps_error *err);

#endif
