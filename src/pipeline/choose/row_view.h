/* How the rows are scaled that a search looks at. */
#ifndef DPS_ROW_VIEW_H
#define DPS_ROW_VIEW_H

typedef enum dps_view {
    DPS_VIEW_LOADED,
    DPS_VIEW_STANDARD, /* data.scaling = standard */
    DPS_VIEW_UNIT      /* data.scaling = none, data.normalize = unit */
} dps_view;

#endif
