#include "calls.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

_Static_assert(sizeof(struct csystem_instruction) == sizeof(struct sock_filter), "the kernel's structure");

// Instructions beyond the capacity are counted but not written.
struct program {
    struct csystem_instruction *code;
    size_t count;
    size_t capacity;
    uint32_t refusal;
    uint32_t process;
};

static void emit(struct program *program, uint16_t code, uint32_t operand, size_t if_true, size_t if_false) {
    if (program->count < program->capacity) {
        program->code[program->count] =
            (struct csystem_instruction){code, (uint8_t)if_true, (uint8_t)if_false, operand};
    }
    program->count++;
}

static void emit_return(struct program *program, uint32_t verdict) { emit(program, BPF_RET | BPF_K, verdict, 0, 0); }

static void emit_load(struct program *program, size_t offset) {
    emit(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static uint32_t verdict_for(const struct program *program, enum answer answer) {
    switch (answer) {
    case is_allowed: return SECCOMP_RET_ALLOW;
    case is_missing: return SECCOMP_RET_ERRNO | ENOSYS;
    default: return program->refusal;
    }
}

static enum answer answer_for(long call, uint8_t sets) {
    if (call >= first_unknown_call) return is_missing;
    return csystem_rules[call].sets & sets ? (enum answer)csystem_rules[call].answer : is_refused;
}

// Calls with consecutive numbers and the same answer. A checked call is always a separate range.
struct range {
    long first;
    enum answer answer;
};

// Emits a binary search for the range of the loaded call number. A checked call jumps to its conditions. Until the
// conditions are emitted, the operand of the jump is the number of the call.
static void emit_search(struct program *program, const struct range *ranges, size_t count) {
    if (count == 1) {
        if (ranges->answer == is_checked) {
            emit(program, BPF_JMP | BPF_JA, (uint32_t)ranges->first, 0, 0);
        } else {
            emit_return(program, verdict_for(program, ranges->answer));
        }
        return;
    }
    size_t half = count / 2;
    // `half` ranges need `half` leaves and `half - 1` jumps. There are fewer than 256 ranges, so the offset fits into a
    // byte.
    emit(program, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)ranges[half].first, half * 2 - 1, 0);
    emit_search(program, ranges, half);
    emit_search(program, ranges + half, count - half);
}

static bool is_masked(const struct term *term) { return term->bits != 0 && term->bits != ~0u; }

static void emit_conditions(struct program *program, long call) {
    const struct term *loaded = NULL;  // the argument in the register when the next condition begins
    for (size_t each = 0; each < csystem_condition_count; each++) {
        const struct condition *condition = csystem_conditions + each;
        if (condition->call != call) continue;
        size_t terms = 0;
        size_t rest = 1;  // the number of instructions to skip if a term is false
        for (const struct term *term = condition->terms; terms < maximum_terms && term->argument; term++) {
            rest += is_masked(term) ? 3 : 2;
            terms++;
        }
        for (size_t index = 0; index < terms; index++) {
            const struct term *term = condition->terms + index;
            bool masked = is_masked(term);
            rest -= masked ? 3 : 2;
            bool kept = index == 0 && loaded && loaded->argument == term->argument && !masked;
            if (!kept) {
                emit_load(program, offsetof(struct seccomp_data, args) + (term->argument - 1u) * 8);
                if (masked) emit(program, BPF_ALU | BPF_AND | BPF_K, term->bits, 0, 0);
            }
            emit(program, BPF_JMP | BPF_JEQ | BPF_K, term->bits ? term->value : program->process, 0, rest);
        }
        emit_return(program, condition->refuses ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW);
        loaded = terms == 1 && !is_masked(condition->terms) ? condition->terms : NULL;
    }
    emit_return(program, program->refusal);
}

size_t csystem_filter(
    unsigned needs, bool reports, pid_t process, struct csystem_instruction *code, size_t capacity
) {
    struct program program = {
        .code = code,
        .capacity = capacity,
        .refusal = (reports ? SECCOMP_RET_TRAP : SECCOMP_RET_ERRNO) | EPERM,
        .process = (uint32_t)process,
    };
    uint8_t sets = (uint8_t)needs | always;
    struct range ranges[first_unknown_call + 1];
    size_t count = 0;
    for (long call = 0; call <= first_unknown_call; call++) {
        enum answer answer = answer_for(call, sets);
        if (count > 0 && answer == ranges[count - 1].answer && answer != is_checked) continue;
        ranges[count++] = (struct range){call, answer};
    }

    emit_load(&program, offsetof(struct seccomp_data, arch));
    emit(&program, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
    emit_return(&program, SECCOMP_RET_ERRNO | EPERM);
    emit_load(&program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    // The x32 ABI, whose call numbers begin here, is refused.
    emit(&program, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    emit_return(&program, SECCOMP_RET_ERRNO | EPERM);
#endif
    size_t start = program.count;
    emit_search(&program, ranges, count);
    size_t end = program.count;
    for (size_t index = start; index < end && index < capacity; index++) {
        if (code[index].code != (BPF_JMP | BPF_JA)) continue;
        long call = code[index].operand;
        code[index].operand = (uint32_t)(program.count - index - 1);
        emit_conditions(&program, call);
    }
    return program.count;
}

bool csystem_filter_calls(unsigned needs, const struct csystem_report *report) {
    struct csystem_instruction code[csystem_filter_capacity];
    bool reports = report && csystem_report_refusals(report);
    size_t count = csystem_filter(needs, reports, getpid(), code, csystem_filter_capacity);
    if (count > csystem_filter_capacity) return false;
    struct sock_fprog filter = {.len = (unsigned short)count, .filter = (struct sock_filter *)code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

// MARK: Capabilities (capabilities(7))

void csystem_drop_capabilities(void) {
    // Needed to use files of other users, and to give a file the owner of the file that it replaces.
    const uint32_t kept =
        1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER;
    int error = errno;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) == 0) {
        for (int half = 0; half < _LINUX_CAPABILITY_U32S_3; half++) {
            uint32_t mask = half == 0 ? kept : 0;
            sets[half].effective &= mask;
            sets[half].permitted &= mask;
            sets[half].inheritable = 0;
        }
        syscall(SYS_capset, &header, sets);
    }
    errno = error;
}

#else

size_t csystem_filter(
    unsigned needs, bool reports, pid_t process, struct csystem_instruction *code, size_t capacity
) {
    (void)needs, (void)reports, (void)process, (void)code, (void)capacity;
    return 0;
}

bool csystem_filter_calls(unsigned needs, const struct csystem_report *report) {
    (void)needs, (void)report;
    return false;
}

void csystem_drop_capabilities(void) {}

#endif
