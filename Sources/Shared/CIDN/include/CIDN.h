// libidn2, loaded for the first host that is not plain ASCII, as few addresses have one.
//
// Its header is not needed: the few calls have been the same since 2.0.
#pragma once

#include <stddef.h>

#pragma clang assume_nonnull begin

/// Room for the longest label and its final NUL: 63 characters of ASCII, or at most 59 characters of UTF-8 decoded from
/// them (RFC 3492).
enum { CIDN_CAPACITY = 256 };

typedef enum {
    CIDN_OK = 0,
    /// No label of a host: UTS #46 does not allow it, or it is too long.
    CIDN_INVALID,
    /// It has a character that IDNA 2008 lacks, which UTS #46 may allow.
    CIDN_DISALLOWED,
    CIDN_NO_MEMORY,
} cidn_status;

/// Loads the library, the first time it is called. Returns NULL if names can be mapped, else the reason and what to
/// install. Any number of threads may call it.
const char *_Nullable cidn_load(void);

/// Maps a label in UTF-8 to ASCII by UTS #46. Call it only after `cidn_load` has returned NULL.
///
/// @param is_transitional Whether to map the four deviation characters as IDNA 2003 did. libidn2 then checks UTS #46
/// alone; otherwise it also checks IDNA 2008, with the rules for joiners and directions.
cidn_status cidn_to_ascii(const char *label, int is_transitional, char output[_Nonnull CIDN_CAPACITY]);

/// Decodes a label that begins with `xn--`, without validating the result; copies others. Call it only after
/// `cidn_load` has returned NULL.
cidn_status cidn_to_unicode(const char *label, char output[_Nonnull CIDN_CAPACITY]);

#pragma clang assume_nonnull end
