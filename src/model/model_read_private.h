/* What reading the header of a model (model_read.c) and reading its arrays (model_arrays.c) share.
 */
#ifndef DPS_MODEL_READ_PRIVATE_H
#define DPS_MODEL_READ_PRIVATE_H

#include "model.h"

/* The file's bytes and how far they have been read. */
typedef struct dps_model_bytes {
    const char *path;
    char *data;
    size_t size;
    size_t at;
    int64_t line; /* of the header, from 1 */
    int64_t version;
} dps_model_bytes;

#define DPS_BAD_MODEL(in, ...)                                                                     \
    dps_error_at(err, DPS_ERROR_DATA, (in)->path, (in)->line, 0, __VA_ARGS__)

/* Eight bytes, the lowest first. */
static inline uint64_t dps_model_bits(const char *bytes)
{
    uint64_t bits = 0;
    for (int k = 0; k < 8; k++) {
        bits |= (uint64_t)(unsigned char)bytes[k] << (8 * k);
    }
    return bits;
}

/* The numbers behind the header, whose sizes the model has, from in->at to the end of the file. */
DPS_MUST_USE dps_status dps_model_read_arrays(dps_model_bytes *in, dps_model *model,
                                              dps_error *err);

#endif
