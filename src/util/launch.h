/* What the environment says of the launcher (mpirun, srun) that started this process. */
#ifndef DPS_LAUNCH_H
#define DPS_LAUNCH_H

#include <stdbool.h>

typedef struct dps_launch {
    int ranks;      /* processes that the launcher started together, this one among them; >= 1 */
    int rank;       /* of this one, from 0 */
    bool connected; /* they can find each other: what MPI_Init needs is there */
    const char *source; /* the variable that told the number; NULL if ranks = 1 */
} dps_launch;

dps_launch dps_launch_told(void);

#endif
