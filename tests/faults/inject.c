/* Preloaded into a program: lets the n-th call of a kind fail (tests/faults/faults.py).
 *
 * FAULT is a kind of the table below, or alloc; FAULT_AT is n, from 1; with FAULT_ON=1 every later
 * call fails as well, as on a disk that is gone. FAULT_UNDER is the folder whose files count, with
 * its slash; FAULT_RANK the rank that has the fault; FAULT_REPORT a file that gets a line: calls
 * counted, and blocks of the program that were not freed.
 *
 * The kind `trace` lets nothing fail: FAULT_REPORT gets a line a call, "open PATH" (or "create PATH"
 * where it may be written), "exec PATH", "socket" (tests/faults/opened.sh).
 *
 * Allocations: malloc and its like are defined here, over those of glibc. Those count that the
 * program, libdpsvm, the C library and what unpacks and writes for it ask for; OpenMP's runtime and
 * MPI end the process by themselves. Blocks are counted as leaked where the program or libdpsvm
 * itself asked.
 *
 * System calls: seccomp traps the kinds (SIGSYS), whoever makes them, the C library's streams
 * included, which no function defined here could stand in for. The handler makes the call in the
 * trapped one's place, from `pass`, whose address the filter lets through. x86-64 and glibc only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { SHORT = -1, SHRINK = -2, GROW = -3, VANISH = -4, KILL = -5, TRACE = -6 };

/* What the n-th of these calls meets: an errno, or one of the above. */
typedef struct kind {
    const char *name;
    int error;
    int calls[12]; /* ended by -1 */
} kind;

#define READS                                                                                      \
    {                                                                                              \
        SYS_read, SYS_pread64, SYS_readv, -1                                                       \
    }
#define WRITES                                                                                     \
    {                                                                                              \
        SYS_write, SYS_pwrite64, SYS_writev, -1                                                    \
    }
#define ENTERS                                                                                     \
    {                                                                                              \
        SYS_rename, SYS_renameat, SYS_renameat2, -1                                                \
    }

static const kind kinds[] = {
    {"read_short", SHORT, READS},
    {"read_eintr", EINTR, READS},
    {"read_eio", EIO, READS},
    {"shrink", SHRINK, READS},
    {"grow", GROW, READS},
    {"vanish", VANISH, READS},
    {"write_short", SHORT, WRITES},
    {"write_eintr", EINTR, WRITES},
    {"write_eio", EIO, WRITES},
    {"write_enospc", ENOSPC, WRITES},
    {"write_edquot", EDQUOT, WRITES},
    {"open_eio", EIO, {SYS_open, SYS_openat, -1}},
    {"open_emfile", EMFILE, {SYS_open, SYS_openat, -1}},
    {"close_eio", EIO, {SYS_close, -1}},
    {"fsync_eio", EIO, {SYS_fsync, SYS_fdatasync, -1}},
    {"rename_eio", EIO, ENTERS},
    {"mmap_enomem", ENOMEM, {SYS_mmap, -1}},
    {"truncate_eio", EIO, {SYS_ftruncate, SYS_fallocate, -1}},
    {"fallocate_enospc", ENOSPC, {SYS_ftruncate, SYS_fallocate, -1}},
    {"stat_eio", EIO, {SYS_fstat, SYS_newfstatat, SYS_stat, SYS_lstat, -1}},
    {"seek_eio", EIO, {SYS_lseek, -1}},
    {"kill_write", KILL, WRITES},
    {"kill_rename", KILL, ENTERS},
    {"trace",
     TRACE,
     {SYS_open, SYS_openat, SYS_openat2, SYS_creat, SYS_execve, SYS_execveat, SYS_socket,
      SYS_connect, -1}},
};

static struct {
    bool alloc, on;
    bool own; /* only what the program itself asks for */
    const kind *kind;
    long at;
    const char *under;
    int report;
    long calls; /* atomic */
    struct {
        uintptr_t begin, end;
        bool own;
    } range[32];
    int ranges;
} fault = {.report = -1};

/* A place for a debugger to stop at. */
__attribute__((noinline)) void fault_met(void)
{
    __asm__ volatile("");
}

static bool is_hit(void)
{
    const long call = __atomic_add_fetch(&fault.calls, 1, __ATOMIC_RELAXED);
    const bool hit = call == fault.at || (fault.on && call > fault.at);
    if (hit) {
        fault_met();
    }
    return hit;
}

/* --- allocations ------------------------------------------------------------------------------ */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *block);

enum { SLOTS = 1 << 20 };
static void *live[SLOTS]; /* open addressing; GONE where a block was freed */
#define GONE ((void *)1)
static char lock;

static void enter(void)
{
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
    }
}

static void leave(void)
{
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

static size_t slot_of(const void *block)
{
    return (size_t)(((uintptr_t)block >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 44) % SLOTS;
}

static void note(void *block)
{
    enter();
    size_t i = slot_of(block);
    while (live[i] != NULL && live[i] != GONE) {
        i = (i + 1) % SLOTS;
    }
    live[i] = block;
    leave();
}

static void forget(const void *block)
{
    enter();
    for (size_t i = slot_of(block); live[i] != NULL; i = (i + 1) % SLOTS) {
        if (live[i] == block) {
            live[i] = GONE;
            break;
        }
    }
    leave();
}

/* 0: nobody whose failures count; 1: counts; 2: its blocks are to be freed, too. */
static int caller_kind(const void *address)
{
    const uintptr_t at = (uintptr_t)address;
    for (int i = 0; fault.alloc && i < fault.ranges; i++) {
        if (at >= fault.range[i].begin && at < fault.range[i].end) {
            return fault.range[i].own ? 2 : fault.own ? 0 : 1;
        }
    }
    return 0;
}

static void *allocated(void *block, int caller)
{
    if (block != NULL && caller == 2) {
        note(block);
    }
    return block;
}

static bool refuses(int caller)
{
    if (caller > 0 && is_hit()) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

#define CALLER caller_kind(__builtin_return_address(0))

void *malloc(size_t size)
{
    const int caller = CALLER;
    return refuses(caller) ? NULL : allocated(__libc_malloc(size), caller);
}

void *calloc(size_t count, size_t size)
{
    const int caller = CALLER;
    return refuses(caller) ? NULL : allocated(__libc_calloc(count, size), caller);
}

void *realloc(void *block, size_t size)
{
    const int caller = CALLER;
    if (refuses(caller)) {
        return NULL;
    }
    if (fault.alloc && block != NULL) {
        forget(block);
    }
    return allocated(__libc_realloc(block, size), caller);
}

void *aligned_alloc(size_t align, size_t size)
{
    const int caller = CALLER;
    return refuses(caller) ? NULL : allocated(__libc_memalign(align, size), caller);
}

int posix_memalign(void **block, size_t align, size_t size)
{
    const int caller = CALLER;
    *block = refuses(caller) ? NULL : allocated(__libc_memalign(align, size), caller);
    return *block == NULL ? ENOMEM : 0;
}

void free(void *block)
{
    if (fault.alloc && block != NULL) {
        forget(block);
    }
    __libc_free(block);
}

static int add_range(struct dl_phdr_info *info, size_t size, void *context)
{
    static const char *const counted[] = {"/libc.so",   "/libz.so",    "/libzstd.so",
                                          "/libbz2.so", "/liblzma.so", "/libcjson.so"};
    bool *first = context;
    const bool own = *first || strstr(info->dlpi_name, "libdpsvm") != NULL;
    bool counts = own;
    (void)size;
    *first = false;
    for (size_t k = 0; k < sizeof counted / sizeof counted[0]; k++) {
        counts = counts || strstr(info->dlpi_name, counted[k]) != NULL;
    }
    for (int i = 0; counts && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0 &&
            fault.ranges < (int)(sizeof fault.range / sizeof fault.range[0])) {
            const uintptr_t begin = (uintptr_t)(info->dlpi_addr + header->p_vaddr);
            fault.range[fault.ranges].begin = begin;
            fault.range[fault.ranges].end = begin + header->p_memsz;
            fault.range[fault.ranges++].own = own;
        }
    }
    return 0;
}

/* --- system calls ----------------------------------------------------------------------------- */

/* long pass(long number, long a, long b, long c, long d, long e, long f) */
__asm__(".text\n.p2align 4\n.globl fault_pass\n.hidden fault_pass\n.type fault_pass, @function\n"
        "fault_pass:\n"
        "  movq %rdi, %rax\n  movq %rsi, %rdi\n  movq %rdx, %rsi\n  movq %rcx, %rdx\n"
        "  movq %r8, %r10\n  movq %r9, %r8\n  movq 8(%rsp), %r9\n  syscall\n"
        ".globl fault_passed\n.hidden fault_passed\nfault_passed:\n  ret\n"
        ".size fault_pass, .-fault_pass\n");
extern long fault_pass(long number, long a, long b, long c, long d, long e, long f);
extern const char fault_passed[];

static bool is_under(const char *path)
{
    return fault.under == NULL || strncmp(path, fault.under, strlen(fault.under)) == 0;
}

static bool is_file_under(int file)
{
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    const long length = fault_pass(SYS_readlink, (long)name, (long)path, sizeof path - 1, 0, 0, 0);
    path[length > 0 ? length : 0] = '\0';
    return length > 0 && is_under(path);
}

/* Whether this call is one of those that are counted. */
static bool counts(int number, const long a[6])
{
    switch (number) {
    case SYS_open:
    case SYS_stat:
    case SYS_lstat:
    case SYS_rename:
        return *(const char *)a[0] != '/' || is_under((const char *)a[0]);
    case SYS_openat:
    case SYS_renameat:
    case SYS_renameat2:
        return *(const char *)a[1] != '/' || is_under((const char *)a[1]);
    case SYS_newfstatat:
        return *(const char *)a[1] == '\0'  ? is_file_under((int)a[0])
               : *(const char *)a[1] != '/' ? true
                                            : is_under((const char *)a[1]);
    case SYS_mmap:
        return (int)a[4] >= 0 ? is_file_under((int)a[4]) : a[2] == PROT_NONE;
    default:
        return is_file_under((int)a[0]);
    }
}

/* The file is changed under its reader. */
static void change(int how, int file)
{
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    const long length = fault_pass(SYS_readlink, (long)name, (long)path, sizeof path - 1, 0, 0, 0);
    path[length > 0 ? length : 0] = '\0';
    if (how == VANISH) {
        fault_pass(SYS_unlink, (long)path, 0, 0, 0, 0, 0);
        return;
    }
    const long other = fault_pass(SYS_open, (long)path, O_WRONLY | O_APPEND, 0, 0, 0, 0);
    if (other >= 0 && how == SHRINK) {
        fault_pass(SYS_ftruncate, other, 5, 0, 0, 0, 0);
    } else if (other >= 0) {
        fault_pass(SYS_write, other, (long)"1 1:0.5 2:0.25\n", 15, 0, 0, 0);
    }
    if (other >= 0) {
        fault_pass(SYS_close, other, 0, 0, 0, 0, 0);
    }
}

static void report(const char *text)
{
    if (fault.report >= 0) {
        fault_pass(SYS_write, fault.report, (long)text, (long)strlen(text), 0, 0, 0);
    }
}

static void trace(int number, const long a[6])
{
    char line[PATH_MAX + 20];
    const bool at = number == SYS_openat || number == SYS_openat2 || number == SYS_execveat;
    const bool runs = number == SYS_execve || number == SYS_execveat;
    const bool opens = number == SYS_open || number == SYS_openat;
    const bool writes = opens ? (a[at ? 2 : 1] & O_ACCMODE) != O_RDONLY : !runs;
    if (number == SYS_socket || number == SYS_connect) {
        report("socket\n");
        return;
    }
    snprintf(line, sizeof line, "%s %s\n",
             runs     ? "exec"
             : writes ? "create"
                      : "open",
             (const char *)a[at ? 1 : 0]);
    report(line);
}

static long answer(int number, long a[6])
{
    if (fault.kind->error == TRACE) {
        trace(number, a);
        return fault_pass(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    if (!counts(number, a) || !is_hit()) {
        return fault_pass(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    switch (fault.kind->error) {
    case SHORT:
        if (number != SYS_readv && number != SYS_writev && a[2] > 1) {
            a[2] = a[2] / 2;
        }
        return fault_pass(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    case SHRINK:
    case GROW:
    case VANISH:
        change(fault.kind->error, (int)a[0]);
        return fault_pass(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    case KILL:
        if (number == SYS_write && a[2] > 1) {
            fault_pass(number, a[0], a[1], a[2] / 2, 0, 0, 0);
        }
        fault_pass(SYS_kill, fault_pass(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
        return -EIO;
    default:
        if (number == SYS_close) { /* it is closed all the same */
            fault_pass(number, a[0], 0, 0, 0, 0, 0);
        }
        return -fault.kind->error;
    }
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
    ucontext_t *where = context;
    greg_t *r = where->uc_mcontext.gregs;
    const int before = errno;
    long a[6] = {(long)r[REG_RDI], (long)r[REG_RSI], (long)r[REG_RDX],
                 (long)r[REG_R10], (long)r[REG_R8],  (long)r[REG_R9]};
    (void)signal;
    r[REG_RAX] = answer(info->si_syscall, a);
    errno = before;
}

/* Traps the calls of the kind unless they come from `fault_pass`. False: not allowed here. */
static bool trap_calls(void)
{
    const uint64_t passed = (uint64_t)(uintptr_t)fault_passed;
    struct sock_filter program[32];
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER};
    int calls = 0, at = 0;
    while (fault.kind->calls[calls] >= 0) {
        calls++;
    }
    program[at++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, instruction_pointer));
    program[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)passed, 0, 1);
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                 (uint32_t)offsetof(struct seccomp_data, nr));
    for (int k = 0; k < calls; k++) {
        program[at++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)fault.kind->calls[k], (uint8_t)(calls - k), 0);
    }
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    const struct sock_fprog filter = {.len = (unsigned short)at, .filter = program};
    action.sa_sigaction = on_trap;
    return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* --- beginning and end ------------------------------------------------------------------------ */

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("FAULT"), *at = getenv("FAULT_AT"), *path = getenv("FAULT_REPORT");
    const char *wanted = getenv("FAULT_RANK"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    bool first = true;
    if (name == NULL || at == NULL ||
        (wanted != NULL && (rank == NULL || strcmp(rank, wanted) != 0))) {
        return;
    }
    fault.at = strtol(at, NULL, 10);
    fault.on = getenv("FAULT_ON") != NULL;
    fault.own = wanted != NULL; /* MPI asks through the C library */
    fault.under = getenv("FAULT_UNDER");
    if (path != NULL) {
        const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        fault.report = fcntl(file, F_DUPFD_CLOEXEC, 900);
        close(file);
    }
    dl_iterate_phdr(add_range, &first);
    if (strcmp(name, "alloc") == 0) {
        fault.alloc = true;
        return;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strcmp(name, kinds[k].name) == 0) {
            fault.kind = &kinds[k];
        }
    }
    if (fault.kind == NULL || !trap_calls()) {
        report("refused\n");
        _exit(99);
    }
}

__attribute__((destructor)) static void end(void)
{
    char text[200];
    long blocks = 0;
    const bool counted = fault.alloc;
    fault.alloc = false;
    for (size_t i = 0; counted && i < SLOTS; i++) {
        blocks += live[i] != NULL && live[i] != GONE;
    }
    if (fault.report >= 0) {
        snprintf(text, sizeof text, "%ld %ld\n", fault.calls, blocks);
        report(text);
    }
}
