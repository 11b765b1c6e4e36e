/* Classes of all ranks. */
#ifndef DPS_CLASS_JOIN_H
#define DPS_CLASS_JOIN_H

#include "class_builder.h"
#include "comm.h"

/* All: the builder becomes that of the values of all ranks, in rank order; (*number)[k] is what
 * this rank's value k is called now (from dps_alloc). Alone nothing changes, and *number is NULL.
 */
DPS_MUST_USE dps_status dps_class_builder_join(dps_class_builder *builder, const dps_comm *comm,
                                               int32_t **number, dps_error *err);

#endif
