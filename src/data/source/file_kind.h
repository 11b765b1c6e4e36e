/* What a file is that is no text with rows, by its content. */
#ifndef DPS_FILE_KIND_H
#define DPS_FILE_KIND_H

#include "status.h"

/* Refuses unpacked content whose start says that it is not rows of text or an npy matrix: the error
 * names what it is and how to make rows of it. shown: the file's name in messages. */
DPS_MUST_USE dps_status dps_file_kind_check(const char *shown, const char *bytes, size_t length,
                                            dps_error *err);

#endif
