/* Task: sum_room.h. A block that is asked for anew is cleared, page by page: for a Hessian of 64
 * columns that takes as long as a tenth of a Newton step. */
#include "sum_room.h"
#include "allocation.h"

static void drop_spares(dps_sum_room *room)
{
    while (room->spares > 0) {
        dps_free(room->spare[--room->spares]);
    }
}

static void drop_scratch(dps_sum_room *room)
{
    for (int i = 0; room->scratch != NULL && i < room->threads; i++) {
        dps_free(room->scratch[i]);
    }
    dps_free(room->scratch);
    room->scratch = NULL;
    room->threads = 0;
}

bool dps_sum_room_prepare(dps_sum_room *room, int64_t places, size_t elements, int threads,
                          size_t bytes)
{
    if (elements > room->elements) {
        drop_spares(room);
        room->elements = elements;
    }
    if (places > room->places) {
        drop_spares(room);
        dps_free(room->spare);
        room->spare = dps_alloc((size_t)places, sizeof *room->spare);
        room->places = room->spare != NULL ? places : 0;
    }
    if (threads > room->threads || bytes > room->bytes) {
        drop_scratch(room);
        room->scratch = dps_alloc((size_t)threads, sizeof *room->scratch);
        room->threads = room->scratch != NULL ? threads : 0;
        room->bytes = bytes;
    }
    return room->places >= places && room->threads >= threads;
}

void *dps_sum_room_scratch(dps_sum_room *room, int thread)
{
    if (room->scratch[thread] == NULL) {
        room->scratch[thread] = dps_alloc(room->bytes, 1);
    }
    return room->scratch[thread];
}

void dps_sum_room_release(dps_sum_room *room)
{
    drop_spares(room);
    drop_scratch(room);
    dps_free(room->spare);
    *room = (dps_sum_room){0};
}
