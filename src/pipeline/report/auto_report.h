/* The search of kernel.type = auto in the JSON report. */
#ifndef DPS_AUTO_REPORT_H
#define DPS_AUTO_REPORT_H

#include <cjson/cJSON.h>
#include "auto_search.h"

/* Adds "auto_search": null, or what was tried and chosen. */
void dps_auto_search_json(const dps_auto_search *search, cJSON *root);

#endif
