/* How the rows are scaled that a search looks at. */
#ifndef DPS_ROW_VIEW_H
#define DPS_ROW_VIEW_H

typedef enum dps_view {
    DPS_VIEW_LOADED,
    DPS_VIEW_STANDARD, /* data.scaling = standard */
    DPS_VIEW_UNIT,     /* data.scaling = none, data.normalize = unit */
    DPS_VIEW_LOG,      /* data.scaling = log */
    DPS_VIEW_RANK      /* data.scaling = rank */
} dps_view;
#define DPS_VIEWS 4 /* of a sample, at most */

#endif
