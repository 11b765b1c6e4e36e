/* Journals of searches: lines that are whole are taken, others passed over. A line that ends in "@"
 * gets its checksum there. What was taken is written to another journal, and taken again. */
#include <inttypes.h>
#include "fuzz_target.h"
#include "journal.h"

static void make_right(const char *bytes, size_t length, dps_text *out)
{
    const char *end = bytes + length;
    for (const char *p = bytes; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const size_t line = stop == NULL ? (size_t)(end - p) : (size_t)(stop - p);
        if (line > 0 && p[line - 1] == '@') {
            dps_text_append(out, p, line - 1);
            dps_text_format(out, "%016" PRIx64, dps_checksum_of(p, line - 1));
        } else {
            dps_text_append(out, p, line);
        }
        dps_text_append(out, "\n", stop == NULL ? 0 : 1);
        p = stop == NULL ? end : stop + 1;
    }
}

static void check_found(const dps_journal *journal, const dps_journal *in)
{
    for (size_t k = 0; k < in->count; k++) {
        const dps_journal_entry *entry = &in->entry[k];
        FUZZ_HOLDS(dps_journal_find(journal, entry->key, entry->count) != NULL,
                   "entry %zu of %zu is lost", k, in->count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    enum { most_entries = 20 }; /* each is synced */
    dps_journal journal = {0}, copy = {0}, again = {0};
    dps_error err;
    char path[300], other[300];
    dps_text right = {0};
    make_right((const char *)bytes, length, &right);
    fuzz_put(fuzz_path(path, "in.journal"), right.length > 0 ? right.data : "", right.length);
    dps_text_release(&right);
    FUZZ_HOLDS(dps_journal_read(&journal, path, &err) == DPS_OK, "%s", err.text);
    check_found(&journal, &journal);
    if (journal.count > 0 && journal.count <= most_entries) {
        fuzz_put(fuzz_path(other, "copy.journal"), "", 0);
        FUZZ_HOLDS(dps_journal_append_to(&copy, other, &err) == DPS_OK, "%s", err.text);
        for (size_t k = 0; k < journal.count; k++) {
            const dps_journal_entry *entry = &journal.entry[k];
            FUZZ_HOLDS(dps_journal_add(&copy, entry->key, entry->value, entry->count, &err) ==
                           DPS_OK,
                       "%s", err.text);
        }
        FUZZ_HOLDS(dps_journal_read(&again, other, &err) == DPS_OK, "%s", err.text);
        FUZZ_HOLDS(again.count == journal.count, "%zu entries, %zu read back", journal.count,
                   again.count);
        check_found(&again, &journal);
    }
    dps_journal_close(&journal);
    dps_journal_close(&copy);
    dps_journal_close(&again);
    return 0;
}
