/* Threads that wait sleep, so that a core they do not need is free for other programs. */
#ifndef DPS_PASSIVE_WAIT_H
#define DPS_PASSIVE_WAIT_H

/* First thing in main, before any call of OpenMP: sets OMP_WAIT_POLICY=passive, unless the user
 * says how threads wait: by OMP_WAIT_POLICY, GOMP_SPINCOUNT or KMP_BLOCKTIME. */
void dps_passive_wait(void);

/* For runs with several threads, before anything is read or opened: where the runtime has not seen
 * the variable, starts the program anew in its place. argv: as main got it. */
void dps_passive_wait_anew(char **argv);

#endif
