/* XXH3-64 through xxHash's header-only mode: no library to link, no symbols leaked. */
#include "checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "allocation.h"

struct dps_checksum {
    XXH3_state_t state; /* wants 64-byte alignment: dps_alloc gives it */
};

dps_checksum *dps_checksum_new(void)
{
    dps_checksum *sum = dps_alloc(1, sizeof *sum);
    if (sum != NULL) {
        XXH3_64bits_reset(&sum->state);
    }
    return sum;
}

void dps_checksum_add(dps_checksum *sum, const void *bytes, size_t length)
{
    XXH3_64bits_update(&sum->state, bytes, length);
}

uint64_t dps_checksum_value(const dps_checksum *sum)
{
    return XXH3_64bits_digest(&sum->state);
}

void dps_checksum_free(dps_checksum *sum)
{
    dps_free(sum);
}

uint64_t dps_checksum_of(const void *bytes, size_t length)
{
    return XXH3_64bits(bytes, length);
}
