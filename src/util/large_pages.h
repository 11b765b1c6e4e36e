/* Blocks that are read whole, again and again. */
#ifndef DPS_LARGE_PAGES_H
#define DPS_LARGE_PAGES_H

#include <stddef.h>

/* dps_alloc of one block, in large pages where the system gives them on request: a two hundredth
 * of the page faults. Its pages stay untouched until they are used, so that the threads that fill
 * it pay for (and place) them. */
void *dps_alloc_large(size_t bytes);

#endif
