/* An ONNX model (onnx.proto, IR version 7, operators of opset 13) node by node, as protocol buffer.
 *
 * Why an own writer: the format needs ten kinds of messages and three ways to write a field; the
 * schema is not in Debian as C, and protobuf-c would add a library and generated code for them. */
#ifndef DPS_ONNX_GRAPH_H
#define DPS_ONNX_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "text.h"

/* Of onnx.TensorProto. */
typedef enum dps_onnx_type {
    DPS_ONNX_FLOAT = 1,
    DPS_ONNX_INT8 = 3,
    DPS_ONNX_INT64 = 7,
    DPS_ONNX_STRING = 8,
    DPS_ONNX_DOUBLE = 11
} dps_onnx_type;

typedef struct dps_onnx_graph {
    dps_text nodes, constants, inputs, outputs; /* encoded */
    int32_t names;
} dps_onnx_graph;

/* The name of a tensor. */
typedef struct dps_onnx_tensor {
    char name[32];
} dps_onnx_tensor;

void dps_onnx_release(dps_onnx_graph *graph); /* accepts a zeroed one */

/* The graph's input, rows x columns of doubles, and outputs; columns 0: one number or text a row.
 */
dps_onnx_tensor dps_onnx_input(dps_onnx_graph *graph, const char *name, int64_t columns);
void dps_onnx_output(dps_onnx_graph *graph, const char *name, dps_onnx_type type, int64_t columns,
                     dps_onnx_tensor from);

/* Constants: rows x columns numbers, a vector where columns is 0; a single number for all. Floats
 * and signs (1 or -1) become doubles in the graph. */
dps_onnx_tensor dps_onnx_doubles(dps_onnx_graph *graph, const double *value, size_t rows,
                                 size_t columns);
dps_onnx_tensor dps_onnx_floats(dps_onnx_graph *graph, const float *value, size_t rows,
                                size_t columns);
dps_onnx_tensor dps_onnx_signs(dps_onnx_graph *graph, const signed char *value, size_t rows,
                               size_t columns);
dps_onnx_tensor dps_onnx_indices(dps_onnx_graph *graph, const int32_t *value, size_t count);
dps_onnx_tensor dps_onnx_texts(dps_onnx_graph *graph, char *const *text, size_t count);
dps_onnx_tensor dps_onnx_number(dps_onnx_graph *graph, double value);
dps_onnx_tensor dps_onnx_scalar(dps_onnx_graph *graph, double value); /* without a shape */

/* Nodes: one output each. */
dps_onnx_tensor dps_onnx_one(dps_onnx_graph *graph, const char *op, dps_onnx_tensor a);
dps_onnx_tensor dps_onnx_two(dps_onnx_graph *graph, const char *op, dps_onnx_tensor a,
                             dps_onnx_tensor b);
dps_onnx_tensor dps_onnx_three(dps_onnx_graph *graph, const char *op, dps_onnx_tensor a,
                               dps_onnx_tensor b, dps_onnx_tensor c);
dps_onnx_tensor dps_onnx_cast(dps_onnx_graph *graph, dps_onnx_tensor a, dps_onnx_type type);
/* Columns of a, or with axis 0 entries of a vector. */
dps_onnx_tensor dps_onnx_gather(dps_onnx_graph *graph, dps_onnx_tensor a, dps_onnx_tensor indices,
                                int64_t axis);
/* Side by side. */
dps_onnx_tensor dps_onnx_concat(dps_onnx_graph *graph, const dps_onnx_tensor *part, size_t count);
/* Of every row: the sum over the last axis (kept: as a column), the place of its largest number. */
dps_onnx_tensor dps_onnx_sum(dps_onnx_graph *graph, dps_onnx_tensor a, int64_t axis, bool kept);
dps_onnx_tensor dps_onnx_largest(dps_onnx_graph *graph, dps_onnx_tensor a);
/* One column as one number a row; [n, c] as [n, c, 1]. */
dps_onnx_tensor dps_onnx_squeeze(dps_onnx_graph *graph, dps_onnx_tensor a);
dps_onnx_tensor dps_onnx_unsqueeze(dps_onnx_graph *graph, dps_onnx_tensor a);

/* The whole model. doc: for people. Check out->failed. */
void dps_onnx_write(const dps_onnx_graph *graph, const char *name, const char *doc, dps_text *out);

#endif
