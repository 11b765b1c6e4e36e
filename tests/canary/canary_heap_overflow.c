/* Planted bug: writes past a block of dps_alloc and its padding. */
#include "allocation.h"

int main(void)
{
    const volatile size_t beyond = 2 * DPS_ALIGN + 8;
    char *block = dps_alloc(1, 1);
    if (block == NULL) {
        return 0;
    }
    block[beyond] = 1;
    dps_free(block);
    return 0;
}
