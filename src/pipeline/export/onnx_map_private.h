/* The map of a model as nodes (onnx_map.c), for score_onnx.c. */
#ifndef DPS_ONNX_MAP_PRIVATE_H
#define DPS_ONNX_MAP_PRIVATE_H

#include "map_view.h"
#include "onnx_graph.h"

/* Columns side by side, in any order. */
typedef struct dps_onnx_columns {
    dps_onnx_tensor *part;
    int32_t *column; /* the numbers of all columns of all parts */
    size_t parts, part_capacity, count, column_capacity;
    double *constant; /* what each column has besides: those without a part */
} dps_onnx_columns;

/* For columns numbered from 0 to width - 1. On errors, too, it must be released. */
DPS_MUST_USE dps_status dps_onnx_columns_init(dps_onnx_columns *columns, size_t width,
                                              dps_error *err);
void dps_onnx_columns_release(dps_onnx_columns *columns);

/* All columns of the panel but that of the bias. x: scaled rows. */
DPS_MUST_USE dps_status dps_onnx_map(dps_onnx_graph *graph, const dps_map *map, dps_onnx_tensor x,
                                     dps_onnx_columns *z, dps_error *err);

#endif
