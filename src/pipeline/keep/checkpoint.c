/* Task: the state of a solver in a file, so that a run that was stopped goes on to the same bits.
 *
 *     dpsvm checkpoint 1 LENGTH      format and length of this header in bytes
 *     key = value                    version, solver, iteration, data (XXH3-64)
 *     option section.key = value     every option that changes the result
 *     NAME BYTES, newline, bytes     the parts of the state, in the solver's order, numbers as they
 *                                    lie in memory
 *     8 bytes                        XXH3-64 of all before
 *
 * The file is written as a model is: beside its place, synced, renamed. It is checked as a whole
 * when it is opened, and read a second time, through the same descriptor, into the solver's memory:
 * no second copy of the state is ever held. A file of other options or data is refused and not
 * overwritten, since it may stand for hours of another run's work. Over ranks rank 0 alone has the
 * file, which holds the state of all, and decides with all when to save and to stop. Another
 * processor may go on with it: no instruction set changes a bit. */
#include "checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocation.h"
#include "checkpoint_file.h"
#include "checksum.h"
#include "comm.h"
#include "file_bytes.h"
#include "job_limits.h"
#include "output_file.h"

#define FORMAT        1
#define MOST_HEADER   ((size_t)1 << 20)
#define BUFFER_BYTES  ((size_t)1 << 20)
#define CHECKSUM_SIZE sizeof(uint64_t)

struct dps_checkpoint {
    const char *path;
    const dps_options *options;
    const dps_run *run;
    double every, deadline;      /* seconds; of dps_now, 0: none */
    double last_save, last_pass; /* of dps_now */
    double longest_pass;         /* seconds */
    dps_text config;             /* the lines of options */
    uint64_t data;
    FILE *file; /* rank 0's, at hand to go on from, or NULL */
    dps_text header;
    int64_t iteration;
    char solver[16];
    bool at_hand; /* a state to go on from: rank 0 has its file */
    bool saved;   /* a file is there that belongs to this run */
    bool told;    /* that it goes on */
    dps_keeper keeper;
};

/* ---------------------------------------------------------------- header */

/* The text after `key` at the start of a line, or NULL; *length without the newline. */
static const char *find_line(const char *header, const char *key, size_t *length)
{
    const size_t wanted = strlen(key);
    for (const char *line = header; *line != '\0';) {
        const size_t all = strcspn(line, "\n");
        if (all >= wanted && strncmp(line, key, wanted) == 0) {
            *length = all - wanted;
            return line + wanted;
        }
        line += all + (line[all] == '\n');
    }
    return NULL;
}

static bool line_is(const dps_checkpoint *c, const char *key, const char *value)
{
    size_t length = 0;
    const char *found = find_line(c->header.data, key, &length);
    return found != NULL && length == strlen(value) && strncmp(found, value, length) == 0;
}

/* Options that change the result. The rows themselves have a fingerprint. */
static void list_options(dps_checkpoint *c)
{
    for (int id = 0; id < DPS_OPTION_COUNT; id++) {
        if (dps_option_table()[id].effect == DPS_EFFECT_MODEL) {
            dps_text_add(&c->config, "option ");
            dps_options_value(c->options, (dps_option_id)id, &c->config);
            dps_text_add(&c->config, "\n");
        }
    }
}

static dps_status refuse(const dps_checkpoint *c, dps_status status, dps_error *err,
                         const char *reason)
{
    return dps_error_at(err, status, c->path, 0, 0,
                        "the checkpoint %s; remove it or set run.resume = off to start afresh, or "
                        "name another run.checkpoint",
                        reason);
}

/* Names the first option that differs. */
static dps_status compare_options(const dps_checkpoint *c, dps_error *err)
{
    char reason[400];
    for (const char *line = c->config.data; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        char now[256], key[128];
        snprintf(now, sizeof now, "%.*s", (int)length, line);
        snprintf(key, sizeof key, "%.*s= ", (int)strcspn(now, "="), now);
        size_t found = 0;
        const char *value = find_line(c->header.data, key, &found);
        const char *mine = line + strlen(key);
        if (value == NULL || found != length - strlen(key) || strncmp(value, mine, found) != 0) {
            const char *after = DPS_QUOTE(mine, length - strlen(key), 60);
            key[strlen(key) - 3] = '\0';
            snprintf(reason, sizeof reason, "is of another run: %.100s was %.120s, now %.120s",
                     key + strlen("option "),
                     value == NULL ? "not known" : DPS_QUOTE(value, found, 60), after);
            return refuse(c, DPS_ERROR_CONFIG, err, reason);
        }
        line += length + (line[length] == '\n');
    }
    return DPS_OK;
}

static dps_status check_header(dps_checkpoint *c, dps_error *err)
{
    size_t length = 0;
    const char *solver = find_line(c->header.data, "solver = ", &length);
    const char *iteration = find_line(c->header.data, "iteration = ", &length);
    if (!line_is(c, "version = ", DPSVM_VERSION)) {
        return refuse(c, DPS_ERROR_CONFIG, err,
                      "was made by another version of dpsvm than " DPSVM_VERSION);
    }
    if (solver == NULL || iteration == NULL) {
        return refuse(c, DPS_ERROR_DATA, err, "has no line of its solver");
    }
    snprintf(c->solver, sizeof c->solver, "%.*s", (int)strcspn(solver, "\n"), solver);
    c->iteration = strtoll(iteration, NULL, 10);
    return compare_options(c, err);
}

/* ---------------------------------------------------------------- reading */

static dps_status cannot_read(const dps_checkpoint *c, dps_error *err)
{
    return dps_error_at(err, DPS_ERROR_IO, c->path, 0, 0, "cannot read the checkpoint: %s",
                        strerror(errno));
}

/* Header into c->header, and whether the checksum is right. */
static dps_status read_header(dps_checkpoint *c, dps_error *err)
{
    char first[64] = {0};
    int format = 0;
    unsigned long long length = 0;
    if (!dps_stream_line(c->file, first, sizeof first) && ferror(c->file) != 0) {
        return cannot_read(c, err);
    }
    if (sscanf(first, "dpsvm checkpoint %d %llu", &format, &length) != 2 || length > MOST_HEADER) {
        return refuse(c, DPS_ERROR_DATA, err, "is no checkpoint of dpsvm, or damaged");
    }
    if (format != FORMAT) {
        return refuse(c, DPS_ERROR_CONFIG, err, "has a format that this version does not know");
    }
    char *text;
    DPS_NEED(text, (size_t)length + 1, "a checkpoint's header", err);
    const bool whole = dps_stream_read(c->file, text, (size_t)length) == (size_t)length;
    dps_text_append(&c->header, text, strlen(text));
    dps_free(text);
    if (ferror(c->file) != 0) {
        return cannot_read(c, err);
    }
    if (c->header.failed) {
        return dps_out_of_memory(err, (size_t)length, 1, "a checkpoint's header");
    }
    if (c->header.data == NULL || !whole) {
        return refuse(c, DPS_ERROR_DATA, err, "is damaged: its header is cut off");
    }
    return DPS_OK;
}

static dps_status check_sum(const dps_checkpoint *c, dps_error *err)
{
    dps_checksum *sum = dps_checksum_new();
    char *buffer = dps_alloc(BUFFER_BYTES + CHECKSUM_SIZE, 1);
    dps_status status = DPS_OK;
    if (sum == NULL || buffer == NULL) {
        status = dps_out_of_memory(err, BUFFER_BYTES, 1, "reading a checkpoint");
        goto done;
    }
    /* the last 8 bytes read stay back: they may be the checksum */
    size_t kept = 0, got = 0;
    const bool begun = fseeko(c->file, 0, SEEK_SET) == 0;
    while (begun && (got = dps_stream_read(c->file, buffer + kept, BUFFER_BYTES)) > 0) {
        const size_t all = kept + got;
        if (all > CHECKSUM_SIZE) {
            dps_checksum_add(sum, buffer, all - CHECKSUM_SIZE);
            memmove(buffer, buffer + all - CHECKSUM_SIZE, CHECKSUM_SIZE);
            kept = CHECKSUM_SIZE;
        } else {
            kept = all;
        }
    }
    const uint64_t value = dps_checksum_value(sum);
    if (!begun || ferror(c->file) != 0) {
        status = cannot_read(c, err);
    } else if (kept != CHECKSUM_SIZE || memcmp(buffer, &value, CHECKSUM_SIZE) != 0) {
        status = refuse(c, DPS_ERROR_DATA, err, "is damaged: its checksum does not fit");
    }
done:
    dps_checksum_free(sum);
    dps_free(buffer);
    return status;
}

static dps_status load(void *context, const dps_state *state, dps_error *err)
{
    dps_checkpoint *c = context;
    const dps_comm *comm = c->run->comm;
    char first[64];
    bool good = true;
    dps_status status = DPS_OK;
    if (c->file != NULL &&
        (fseeko(c->file, 0, SEEK_SET) != 0 || !dps_stream_line(c->file, first, sizeof first) ||
         fseeko(c->file, (off_t)c->header.length, SEEK_CUR) != 0)) {
        status = cannot_read(c, err);
    }
    DPS_TRY(dps_comm_agree(comm, status, err));
    DPS_TRY(dps_parts_read(c->file, state, comm, &good, err));
    if (c->file != NULL && !good && ferror(c->file) != 0) {
        status = cannot_read(c, err);
    }
    DPS_TRY(dps_comm_agree(comm, status, err));
    if (!good) {
        return refuse(c, DPS_ERROR_DATA, err, "does not hold the state that this run expects");
    }
    if (!c->told) {
        dps_log_text(c->run, DPS_NORMAL, "resuming %s after iteration %lld from %s", state->solver,
                     (long long)c->iteration, c->path);
        c->told = true;
    }
    return DPS_OK;
}

static const char *solver_at_hand(void *context)
{
    const dps_checkpoint *c = context;
    return c->at_hand ? c->solver : NULL;
}

/* ---------------------------------------------------------------- writing */

static void put_header(dps_part_writer *w, const dps_checkpoint *c, const dps_state *state)
{
    dps_text header = {0};
    char first[64];
    dps_text_format(&header,
                    "version = %s\nsolver = %s\niteration = %lld\n"
                    "data = %016" PRIx64 "\n",
                    DPSVM_VERSION, state->solver, (long long)state->iteration, c->data);
    dps_text_append(&header, c->config.data, c->config.length);
    if (header.failed) {
        w->status = dps_error_set(w->err, DPS_ERROR_MEMORY, "no memory for a checkpoint's header");
    }
    const int length =
        snprintf(first, sizeof first, "dpsvm checkpoint %d %zu\n", FORMAT, header.length);
    dps_part_write(w, first, (size_t)length);
    dps_part_write(w, header.data, header.length);
    dps_text_release(&header);
}

static dps_status save_here(dps_checkpoint *c, const dps_state *state, dps_error *err)
{
    dps_part_writer w = {.sum = dps_checksum_new(), .err = err};
    if (w.sum == NULL) {
        w.status = dps_error_set(err, DPS_ERROR_MEMORY, "no memory for a checkpoint");
    } else {
        w.status = dps_output_open(&w.file, c->path, err);
        put_header(&w, c, state);
    }
    dps_status status = dps_parts_write(&w, state, c->run->comm, err);
    w.status = w.status == DPS_OK ? status : w.status;
    const uint64_t value = w.status == DPS_OK ? dps_checksum_value(w.sum) : 0;
    dps_part_write(&w, &value, sizeof value);
    dps_checksum_free(w.sum);
    if (w.status != DPS_OK) {
        dps_output_abandon(w.file);
        return w.status;
    }
    return dps_output_commit(w.file, err);
}

/* All. */
static dps_status save(dps_checkpoint *c, const dps_state *state, dps_error *err)
{
    const dps_comm *comm = c->run->comm;
    dps_status status = dps_comm_rank(comm) == 0 ? save_here(c, state, err)
                                                 : dps_parts_write(NULL, state, comm, err);
    status = dps_comm_agree(comm, status, err);
    if (status == DPS_OK) {
        c->saved = true;
        c->last_save = dps_now();
    }
    return status;
}

/* Whether a pass as long as the longest so far would end after the deadline. */
static bool time_is_up(const dps_checkpoint *c, double now)
{
    return c->deadline > 0 && now + c->longest_pass > c->deadline;
}

static dps_status offer(void *context, const dps_state *state, dps_error *err)
{
    dps_checkpoint *c = context;
    const double now = dps_now();
    const dps_comm *comm = c->run->comm;
    const bool stop = dps_comm_any(comm, dps_run_stopped(c->run));
    c->longest_pass = now - c->last_pass > c->longest_pass ? now - c->last_pass : c->longest_pass;
    c->last_pass = now;
    const bool pause = dps_comm_any(comm, stop || time_is_up(c, now));
    bool due = now - c->last_save >= c->every;
    dps_comm_broadcast(comm, 0, &due, sizeof due);
    if (!pause && !due) {
        return DPS_OK;
    }
    const dps_status status = save(c, state, err);
    if (status == DPS_OK && pause) {
        return dps_error_set(err, DPS_ERROR_PAUSED,
                             "%s after iteration %lld of %s; saved in %s: the same command goes on "
                             "from there",
                             stop ? "stopped by a signal" : "run.time_limit is reached",
                             (long long)state->iteration, state->solver, c->path);
    }
    if (status != DPS_OK && !pause) {
        c->last_save = now; /* the old file, if there was one, is as it was */
        dps_log_text(c->run, DPS_WARNING, "the checkpoint was not saved: %s",
                     err == NULL ? c->path : err->text);
        return DPS_OK;
    }
    c->last_pass = dps_now();
    return status;
}

/* ---------------------------------------------------------------- life */

static dps_status look_at_file(dps_checkpoint *c, dps_error *err)
{
    const dps_switch resume = dps_name_value(dps_switch_names, c->options->run_resume);
    if (resume == DPS_SWITCH_OFF) {
        return DPS_OK;
    }
    c->file = fopen(c->path, "rb");
    if (c->file == NULL && errno == ENOENT) {
        return resume != DPS_SWITCH_ON
                   ? DPS_OK
                   : dps_error_at(err, DPS_ERROR_IO, c->path, 0, 0,
                                  "run.resume = on, but there is no checkpoint: set run.resume = "
                                  "auto to start where there is none");
    }
    if (c->file == NULL) {
        return cannot_read(c, err);
    }
    DPS_TRY(read_header(c, err));
    DPS_TRY(check_sum(c, err));
    return check_header(c, err);
}

/* What rank 0 has found. */
static dps_status share_find(dps_checkpoint *c, dps_status status, dps_error *err)
{
    struct {
        int64_t iteration;
        char solver[sizeof c->solver];
        bool at_hand;
    } found;
    memset(&found, 0, sizeof found);
    found.iteration = c->iteration;
    found.at_hand = c->file != NULL;
    memcpy(found.solver, c->solver, sizeof found.solver);
    status = dps_comm_agree(c->run->comm, status, err);
    if (status == DPS_OK) {
        dps_comm_broadcast(c->run->comm, 0, &found, sizeof found);
        c->iteration = found.iteration;
        c->at_hand = c->saved = found.at_hand;
        memcpy(c->solver, found.solver, sizeof c->solver);
    }
    return status;
}

dps_status dps_checkpoint_open(dps_checkpoint **checkpoint, const dps_options *options,
                               double began, const dps_run *run, dps_error *err)
{
    *checkpoint = NULL;
    if (options->run_checkpoint[0] == '\0') {
        return DPS_OK;
    }
    dps_checkpoint *c;
    DPS_NEED(c, 1, "a checkpoint", err);
    c->path = options->run_checkpoint;
    c->options = options;
    c->run = run;
    c->every = options->run_checkpoint_every;
    c->deadline = options->run_time_limit > 0 ? began + options->run_time_limit : 0;
    c->keeper = (dps_keeper){.context = c, .solver = solver_at_hand, .load = load, .offer = offer};
    list_options(c);
    dps_status status = DPS_OK;
    if (c->config.failed) {
        status = dps_error_set(err, DPS_ERROR_MEMORY, "no memory for a checkpoint");
    } else if (dps_comm_rank(run->comm) == 0) {
        dps_output_clean(c->path);
        status = look_at_file(c, err);
    }
    status = share_find(c, status, err);
    if (status != DPS_OK) {
        dps_checkpoint_close(c);
        return status;
    }
    *checkpoint = c;
    return DPS_OK;
}

dps_status dps_checkpoint_data(dps_checkpoint *c, uint64_t data, dps_error *err)
{
    char now[32];
    snprintf(now, sizeof now, "%016" PRIx64, data);
    c->data = data;
    if (c->file != NULL && !line_is(c, "data = ", now)) {
        c->saved = false;
        return refuse(c, DPS_ERROR_CONFIG, err,
                      "is of other data: the training rows have changed since");
    }
    return DPS_OK;
}

dps_run dps_checkpoint_run(dps_checkpoint *c)
{
    dps_run run = *c->run;
    run.stop = NULL;
    run.keeper = &c->keeper;
    c->last_save = c->last_pass = dps_now();
    return run;
}

bool dps_checkpoint_saved(const dps_checkpoint *c)
{
    return c != NULL && c->saved;
}

void dps_checkpoint_done(dps_checkpoint *c)
{
    if (c != NULL && c->saved) {
        if (dps_comm_rank(c->run->comm) == 0) {
            (void)unlink(c->path);
        }
        c->saved = false;
    }
}

void dps_checkpoint_close(dps_checkpoint *c)
{
    if (c == NULL) {
        return;
    }
    if (c->file != NULL) {
        fclose(c->file);
    }
    dps_text_release(&c->config);
    dps_text_release(&c->header);
    dps_free(c);
}
