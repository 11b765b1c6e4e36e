/* Task: large_pages.h. Linux' default gives pages of 2 MB to those who ask (madvise); where it
 * refuses, nothing is lost. Only for large blocks: what is rounded up to whole pages is memory,
 * too. */
#include "large_pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include "allocation.h"

enum { LARGE = 2 << 20, LEAST = 4 << 20 };

void *dps_alloc_large(size_t bytes)
{
    char *block = dps_alloc(bytes, 1);
#ifdef MADV_HUGEPAGE
    if (block != NULL && bytes >= LEAST) {
        const size_t before = dps_round_up((uintptr_t)block, LARGE) - (uintptr_t)block;
        (void)madvise(block + before, (bytes - before) / LARGE * LARGE, MADV_HUGEPAGE);
    }
#endif
    return block;
}
