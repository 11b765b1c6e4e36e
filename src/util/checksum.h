/* XXH3-64 of a byte stream (xxHash, header-only mode). */
#ifndef DPS_CHECKSUM_H
#define DPS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

typedef struct dps_checksum dps_checksum;

dps_checksum *dps_checksum_new(void); /* NULL: no memory */
void dps_checksum_add(dps_checksum *sum, const void *bytes, size_t length);
uint64_t dps_checksum_value(const dps_checksum *sum);
void dps_checksum_free(dps_checksum *sum);
uint64_t dps_checksum_of(const void *bytes, size_t length);

#endif
