/* Sizes of a source that the loader and the tests set; results never depend on them. */
#ifndef DPS_SOURCE_INTERNAL_H
#define DPS_SOURCE_INTERNAL_H

#include "source.h"

/* Bytes a chunk aims at (default 256 KiB; at least 1). */
void dps_source_set_chunk(dps_source *source, size_t bytes);
/* Longest line in bytes (default 1 GiB): a longer one is an error, so that an endless line cannot
 * eat all memory. */
void dps_source_set_line_limit(dps_source *source, size_t bytes);

#endif
