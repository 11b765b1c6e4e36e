/* Planted bug: forgets a block of dps_alloc. */
#include "allocation.h"

static void forget(void)
{
    char *volatile block = dps_alloc(1000, 1);
    if (block != NULL) {
        block[0] = 1;
    }
    block = NULL;
}

int main(void)
{
    forget();
    return 0;
}
