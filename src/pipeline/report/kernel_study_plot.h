/* A study of maps as a picture. */
#ifndef DPS_KERNEL_STUDY_PLOT_H
#define DPS_KERNEL_STUDY_PLOT_H

#include "kernel_study.h"
#include "text.h"

/* Mean error against D, D' and time, as SVG. */
void dps_study_svg(const dps_study *study, dps_text *out);

#endif
