/* Task: dps_additive_row for the baseline instruction set; formula, order and cost in
 * additive_body.h. */
#define ADDITIVE_ROW dps_additive_row_portable
#include "additive_body.h"
