/* Task: write ONNX (github.com/onnx/onnx, onnx/onnx.proto) in the wire format of protocol buffers:
 * a field is (number << 3 | kind) and its value, kind 0 a number in groups of 7 bits, lowest first,
 * kind 2 a length and so many bytes, which may be a message again. Cost: a copy or two of every
 * constant. */
#include "onnx_graph.h"

#include <stdio.h>
#include <string.h>

enum { ATTRIBUTE_INT = 2, IR_VERSION = 7, OPSET = 13 };

static void add_varint(dps_text *out, uint64_t value)
{
    do {
        const char byte = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        dps_text_append(out, &byte, 1);
        value >>= 7;
    } while (value > 0);
}

static void add_number(dps_text *out, int field, int64_t value)
{
    add_varint(out, (uint64_t)field << 3);
    add_varint(out, (uint64_t)value);
}

static void add_bytes(dps_text *out, int field, const char *bytes, size_t length)
{
    add_varint(out, (uint64_t)field << 3 | 2);
    add_varint(out, length);
    dps_text_append(out, bytes, length);
}

static void add_string(dps_text *out, int field, const char *text)
{
    add_bytes(out, field, text, strlen(text));
}

/* A message that was made on its own, which is released. */
static void add_message(dps_text *out, int field, dps_text *message)
{
    out->failed = out->failed || message->failed;
    add_bytes(out, field, message->length == 0 ? "" : message->data, message->length);
    dps_text_release(message);
}

void dps_onnx_release(dps_onnx_graph *graph)
{
    dps_text_release(&graph->nodes);
    dps_text_release(&graph->constants);
    dps_text_release(&graph->inputs);
    dps_text_release(&graph->outputs);
}

static dps_onnx_tensor next_tensor(dps_onnx_graph *graph)
{
    dps_onnx_tensor tensor;
    snprintf(tensor.name, sizeof tensor.name, "t%ld", (long)graph->names++);
    return tensor;
}

/* ---- inputs and outputs ---- */

/* ValueInfoProto: a name, and rows ("N") x columns of a type. */
static void add_value(dps_text *out, int field, const char *name, dps_onnx_type type,
                      int64_t columns)
{
    dps_text rows = {0}, shape = {0}, tensor = {0}, kind = {0}, value = {0};
    add_string(&rows, 2, "N"); /* dim_param */
    add_message(&shape, 1, &rows);
    if (columns > 0) {
        dps_text width = {0};
        add_number(&width, 1, columns); /* dim_value */
        add_message(&shape, 1, &width);
    }
    add_number(&tensor, 1, type); /* elem_type */
    add_message(&tensor, 2, &shape);
    add_message(&kind, 1, &tensor); /* tensor_type */
    add_string(&value, 1, name);
    add_message(&value, 2, &kind);
    add_message(out, field, &value);
}

/* ---- nodes ---- */

typedef struct attribute {
    const char *name; /* NULL: none */
    int64_t value;
} attribute;

static void add_node(dps_onnx_graph *graph, const char *op, const dps_onnx_tensor *input,
                     size_t count, const char *output, const attribute *own, size_t attributes)
{
    dps_text node = {0};
    for (size_t i = 0; i < count; i++) {
        add_string(&node, 1, input[i].name);
    }
    add_string(&node, 2, output);
    add_string(&node, 4, op);
    for (size_t i = 0; i < attributes; i++) {
        dps_text each = {0};
        add_string(&each, 1, own[i].name);
        add_number(&each, 3, own[i].value);
        add_number(&each, 20, ATTRIBUTE_INT);
        add_message(&node, 5, &each);
    }
    add_message(&graph->nodes, 1, &node);
}

static dps_onnx_tensor add_op(dps_onnx_graph *graph, const char *op, const dps_onnx_tensor *input,
                              size_t count, const attribute *own, size_t attributes)
{
    const dps_onnx_tensor output = next_tensor(graph);
    add_node(graph, op, input, count, output.name, own, attributes);
    return output;
}

dps_onnx_tensor dps_onnx_input(dps_onnx_graph *graph, const char *name, int64_t columns)
{
    dps_onnx_tensor tensor;
    snprintf(tensor.name, sizeof tensor.name, "%s", name);
    add_value(&graph->inputs, 11, name, DPS_ONNX_DOUBLE, columns);
    return tensor;
}

void dps_onnx_output(dps_onnx_graph *graph, const char *name, dps_onnx_type type, int64_t columns,
                     dps_onnx_tensor from)
{
    add_value(&graph->outputs, 12, name, type, columns);
    add_node(graph, "Identity", &from, 1, name, NULL, 0);
}

dps_onnx_tensor dps_onnx_one(dps_onnx_graph *graph, const char *op, dps_onnx_tensor a)
{
    return add_op(graph, op, &a, 1, NULL, 0);
}

dps_onnx_tensor dps_onnx_two(dps_onnx_graph *graph, const char *op, dps_onnx_tensor a,
                             dps_onnx_tensor b)
{
    const dps_onnx_tensor input[] = {a, b};
    return add_op(graph, op, input, 2, NULL, 0);
}

dps_onnx_tensor dps_onnx_three(dps_onnx_graph *graph, const char *op, dps_onnx_tensor a,
                               dps_onnx_tensor b, dps_onnx_tensor c)
{
    const dps_onnx_tensor input[] = {a, b, c};
    return add_op(graph, op, input, 3, NULL, 0);
}

dps_onnx_tensor dps_onnx_cast(dps_onnx_graph *graph, dps_onnx_tensor a, dps_onnx_type type)
{
    const attribute to = {"to", type};
    return add_op(graph, "Cast", &a, 1, &to, 1);
}

dps_onnx_tensor dps_onnx_gather(dps_onnx_graph *graph, dps_onnx_tensor a, dps_onnx_tensor indices,
                                int64_t axis)
{
    const dps_onnx_tensor input[] = {a, indices};
    const attribute own = {"axis", axis};
    return add_op(graph, "Gather", input, 2, &own, 1);
}

dps_onnx_tensor dps_onnx_concat(dps_onnx_graph *graph, const dps_onnx_tensor *part, size_t count)
{
    const attribute axis = {"axis", 1};
    return count == 1 ? part[0] : add_op(graph, "Concat", part, count, &axis, 1);
}

dps_onnx_tensor dps_onnx_sum(dps_onnx_graph *graph, dps_onnx_tensor a, int64_t axis, bool kept)
{
    const int32_t over = (int32_t)axis;
    const dps_onnx_tensor input[] = {a, dps_onnx_indices(graph, &over, 1)};
    const attribute own = {"keepdims", kept ? 1 : 0};
    return add_op(graph, "ReduceSum", input, 2, &own, 1);
}

dps_onnx_tensor dps_onnx_largest(dps_onnx_graph *graph, dps_onnx_tensor a)
{
    const attribute own[] = {{"axis", 1}, {"keepdims", 0}};
    return add_op(graph, "ArgMax", &a, 1, own, 2);
}

dps_onnx_tensor dps_onnx_squeeze(dps_onnx_graph *graph, dps_onnx_tensor a)
{
    const int32_t axis = 1;
    return dps_onnx_two(graph, "Squeeze", a, dps_onnx_indices(graph, &axis, 1));
}

dps_onnx_tensor dps_onnx_unsqueeze(dps_onnx_graph *graph, dps_onnx_tensor a)
{
    const int32_t axis = 2;
    return dps_onnx_two(graph, "Unsqueeze", a, dps_onnx_indices(graph, &axis, 1));
}

/* ---- constants ---- */

static void begin_constant(dps_text *tensor, dps_onnx_type type, size_t rows, size_t columns)
{
    add_number(tensor, 1, (int64_t)rows);
    if (columns > 0) {
        add_number(tensor, 1, (int64_t)columns);
    }
    add_number(tensor, 2, type);
}

static dps_onnx_tensor end_constant(dps_onnx_graph *graph, dps_text *tensor)
{
    const dps_onnx_tensor name = next_tensor(graph);
    add_string(tensor, 8, name.name);
    add_message(&graph->constants, 5, tensor);
    return name;
}

/* raw_data: bits of `size` bytes each, lowest first. */
static void add_bits(dps_text *tensor, uint64_t bits, size_t size)
{
    char bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(bits >> (8 * i) & 0xff);
    }
    dps_text_append(tensor, bytes, size);
}

static size_t begin_raw(dps_text *tensor, size_t rows, size_t columns, size_t size)
{
    const size_t count = rows * (columns > 0 ? columns : 1);
    add_varint(tensor, 9 << 3 | 2);
    add_varint(tensor, count * size);
    return count;
}

dps_onnx_tensor dps_onnx_doubles(dps_onnx_graph *graph, const double *value, size_t rows,
                                 size_t columns)
{
    dps_text tensor = {0};
    begin_constant(&tensor, DPS_ONNX_DOUBLE, rows, columns);
    const size_t count = begin_raw(&tensor, rows, columns, sizeof *value);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, value + i, sizeof bits);
        add_bits(&tensor, bits, sizeof bits);
    }
    return end_constant(graph, &tensor);
}

dps_onnx_tensor dps_onnx_floats(dps_onnx_graph *graph, const float *value, size_t rows,
                                size_t columns)
{
    dps_text tensor = {0};
    begin_constant(&tensor, DPS_ONNX_FLOAT, rows, columns);
    const size_t count = begin_raw(&tensor, rows, columns, sizeof *value);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, value + i, sizeof bits);
        add_bits(&tensor, bits, sizeof bits);
    }
    return dps_onnx_cast(graph, end_constant(graph, &tensor), DPS_ONNX_DOUBLE);
}

dps_onnx_tensor dps_onnx_signs(dps_onnx_graph *graph, const signed char *value, size_t rows,
                               size_t columns)
{
    dps_text tensor = {0};
    begin_constant(&tensor, DPS_ONNX_INT8, rows, columns);
    const size_t count = begin_raw(&tensor, rows, columns, 1);
    dps_text_append(&tensor, (const char *)value, count);
    return dps_onnx_cast(graph, end_constant(graph, &tensor), DPS_ONNX_DOUBLE);
}

dps_onnx_tensor dps_onnx_indices(dps_onnx_graph *graph, const int32_t *value, size_t count)
{
    dps_text tensor = {0};
    begin_constant(&tensor, DPS_ONNX_INT64, count, 0);
    begin_raw(&tensor, count, 0, sizeof(int64_t));
    for (size_t i = 0; i < count; i++) {
        add_bits(&tensor, (uint64_t)(int64_t)value[i], sizeof(int64_t));
    }
    return end_constant(graph, &tensor);
}

dps_onnx_tensor dps_onnx_texts(dps_onnx_graph *graph, char *const *text, size_t count)
{
    dps_text tensor = {0};
    begin_constant(&tensor, DPS_ONNX_STRING, count, 0);
    for (size_t i = 0; i < count; i++) {
        add_string(&tensor, 6, text[i]);
    }
    return end_constant(graph, &tensor);
}

dps_onnx_tensor dps_onnx_number(dps_onnx_graph *graph, double value)
{
    return dps_onnx_doubles(graph, &value, 1, 0);
}

dps_onnx_tensor dps_onnx_scalar(dps_onnx_graph *graph, double value)
{
    dps_text tensor = {0};
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_number(&tensor, 2, DPS_ONNX_DOUBLE);
    begin_raw(&tensor, 1, 0, sizeof bits);
    add_bits(&tensor, bits, sizeof bits);
    return end_constant(graph, &tensor);
}

/* ---- the model ---- */

static void add_part(dps_text *out, const dps_text *part)
{
    out->failed = out->failed || part->failed;
    if (part->length > 0) {
        dps_text_append(out, part->data, part->length);
    }
}

void dps_onnx_write(const dps_onnx_graph *graph, const char *name, const char *doc, dps_text *out)
{
    enum { PARTS = 5 };
    dps_text title = {0}, opset = {0};
    const dps_text *const part[PARTS] = {&graph->nodes, &title, &graph->constants, &graph->inputs,
                                         &graph->outputs};
    size_t length = 0;
    add_string(&title, 2, name);
    for (int k = 0; k < PARTS; k++) {
        length += part[k]->length;
    }
    add_string(&opset, 1, ""); /* the operators of ONNX itself */
    add_number(&opset, 2, OPSET);
    add_number(out, 1, IR_VERSION);
    add_string(out, 2, "dpsvm");
    add_string(out, 3, DPSVM_VERSION);
    add_string(out, 6, doc);
    add_varint(out, 7 << 3 | 2); /* the graph, as long as its parts */
    add_varint(out, length);
    for (int k = 0; k < PARTS; k++) {
        add_part(out, part[k]);
    }
    dps_text_release(&title);
    add_message(out, 8, &opset);
}
