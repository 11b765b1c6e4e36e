/* The command line. */
#ifndef DPS_CLI_H
#define DPS_CLI_H

/* Runs `dpsvm argv[1] ...`; returns the exit code:
 *   0 done; 1 failed (files, memory; --strict without convergence); 2 usage or configuration; 3 bad
 *   content of an input file; 4 arithmetic failed; 75 stopped, and a checkpoint
 *   is there to go on from; 128 + number of the signal (130 SIGINT, 143 SIGTERM, ...):
 *   stopped by it without one. */
int dps_cli_main(int argc, char **argv);

#endif
