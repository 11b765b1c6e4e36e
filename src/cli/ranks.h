/* The ranks of a launch, as a command sees them: one speaks and writes, all leave together. */
#ifndef DPS_RANKS_H
#define DPS_RANKS_H

#include "session.h"

/* session->launch, and session->comm if there are several ranks and the command works on several.
 * Refuses ranks whose command lines differ. */
DPS_MUST_USE dps_status dps_ranks_join(dps_session *session, int argc, char **argv, dps_error *err);

/* Whether this process is to be silent and to write nothing: of a launch, and not the first. */
bool dps_ranks_silent(const dps_session *session);

/* All, when the limits of each rank are known: ranks on one machine share its memory, and those
 * that may run on the same processors share them, unless memory or threads were asked for. Says
 * where the ranks are and warns of more threads than processors. */
DPS_MUST_USE dps_status dps_ranks_share(dps_session *session, dps_error *err);

/* Says so if processes of a launch do not work together. */
void dps_ranks_warn_alone(const dps_session *session);

/* All: the outcome of the whole. *signal: that ended it on any rank. *together = false: the others
 * do not come, and after the error was printed dps_comm_abort must follow. */
DPS_MUST_USE dps_status dps_ranks_leave(dps_session *session, dps_status status, int *signal,
                                        bool *together, dps_error *err);

#endif
