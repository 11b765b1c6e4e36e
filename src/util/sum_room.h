/* Memory that ordered sums of one shape after another share (ordered_sum.h). */
#ifndef DPS_SUM_ROOM_H
#define DPS_SUM_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero at first. One sum at a time. */
typedef struct dps_sum_room {
    double **spare; /* partial sums of `elements` doubles */
    int64_t spares, places;
    size_t elements;
    void **scratch; /* a thread's: `bytes` or NULL; each thread makes its own */
    int threads;
    size_t bytes;
} dps_sum_room;

/* Room for `places` partial sums and for the scratch of so many threads; what has another size is
 * given back. False: no memory. */
bool dps_sum_room_prepare(dps_sum_room *room, int64_t places, size_t elements, int threads,
                          size_t bytes);
/* The scratch of one of these threads, 64-byte aligned; NULL: no memory. */
void *dps_sum_room_scratch(dps_sum_room *room, int thread);
void dps_sum_room_release(dps_sum_room *room);

#endif
