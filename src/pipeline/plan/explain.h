/* What a run has planned, in words for people; the log, `check` and `info` share them. */
#ifndef DPS_EXPLAIN_H
#define DPS_EXPLAIN_H

#include "model.h"
#include "recipe.h"
#include "scaler.h"
#include "text.h"

/* "polynomial, f(t) = (t + r)^q: q = 10, r = 1"; of a Fourier map the kernel it stands for */
void dps_explain_kernel(const dps_map_recipe *recipe, dps_text *out);
/* "maclaurin, D = 500, seed 1, geometric measure with p = 2, stratified, exact degree 1, ..." */
void dps_explain_map(const dps_map_recipe *recipe, dps_text *out);
/* "2: 250, 3: 125, 4: 63" */
void dps_explain_degrees(const dps_map_facts *facts, dps_text *out);

#endif
