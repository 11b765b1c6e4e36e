/* What the search of kernel.type = auto says. */
#ifndef DPS_AUTO_TEXT_H
#define DPS_AUTO_TEXT_H

#include "auto_search.h"

/* data.scaling of a view; NULL: as loaded. */
const char *dps_auto_scaling_name(dps_view view);
const char *dps_auto_kernel_name(dps_auto_kernel kernel);
/* "rbf, gamma x 4, standard, D = 512" */
void dps_auto_trial_text(const dps_auto_trial *trial, dps_text *out);
/* Whether the search set this option. */
bool dps_auto_search_set(const dps_auto_search *search, int id);
/* What it chose, as an INI that trains the same model without the search. */
void dps_auto_search_ini(const dps_auto_search *search, dps_text *out);
/* Kernels that no trial was made of: "rbf; laplacian", or nothing. */
void dps_auto_untried_text(const dps_auto_search *search, dps_text *out);
/* The trials, and the options that train the same model without the search. */
void dps_auto_search_log(const dps_auto_search *search, const dps_run *run);

#endif
