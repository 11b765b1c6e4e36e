/* That what a run writes replaces nothing that it reads. */
#ifndef DPS_OUTPUT_PLACES_H
#define DPS_OUTPUT_PLACES_H

#include "options.h"

typedef struct dps_place {
    const char *path, *option; /* path "": not written */
} dps_place;

/* Refuses an output that is another of the outputs, or an input: the INI file, files and patterns
 * of data.train and data.test, files of data.validation, data.weights and solver.warm_start (but
 * for output.model: a model may be trained further in place). Inputs that do not exist are an
 * error, too. */
DPS_MUST_USE dps_status dps_output_places_apart(const dps_options *options, const dps_place *output,
                                                size_t count, dps_error *err);

#endif
