// The system calls that a confined process may make (calls.c) and the conditions on their arguments (conditions.c).
// filter.c compiles both to a filter.
#pragma once

#include "CSystem.h"

// The basic set, for every process. CSystem.h has the other sets (`csystem_needs_files` and so on).
enum { always = 0x80 };

enum answer {
    is_allowed,
    is_checked,  // allowed if one of its conditions holds
    is_missing,  // fails with ENOSYS, so that the C library uses an older call
    is_refused,
};

struct rule {
    uint8_t sets;    // the sets that the call belongs to; 0 for calls that are refused
    uint8_t answer;  // for processes that have one of these sets
};

// The first call number that was unassigned when the table of rules was last reviewed.
enum { first_unknown_call = 470 };

// Rules by call number. Calls without an entry are refused: they belong to no set.
extern const struct rule csystem_rules[first_unknown_call];

// A condition on an argument: its bits in the mask `bits` equal `value`. Compares only the lower 32 bits, since the
// kernel ignores the upper half of all these arguments.
struct term {
    uint8_t argument;  // its index plus 1; 0 for no term
    uint32_t bits;     // 0 to compare all bits with the ID of the process
    uint32_t value;
};

#define IS(index, number) {(index) + 1, ~0u, (number)}
#define HAS(index, mask, number) {(index) + 1, (mask), (number)}
#define IS_OWN_PROCESS(index) {(index) + 1, 0, 0}

enum { maximum_terms = 3 };

// A checked call is allowed if all terms of one of its conditions hold.
struct condition {
    long call;
    struct term terms[maximum_terms];
    bool refuses;  // refuses the call instead, without a report
};

extern const struct condition csystem_conditions[];
extern const size_t csystem_condition_count;

// Installs the SIGSYS handler that reports refusals.
bool csystem_report_refusals(const struct csystem_report *report);
