// libidn2, loaded for the first host name that is not plain ASCII. Most runs have no such name.
//
// This module does not include libidn2's header; it uses three functions that have not changed since 2.0.
#pragma once

#include <stddef.h>

#pragma clang assume_nonnull begin

/// Enough bytes for the longest label and its final NUL: 63 ASCII characters, or the UTF-8 of the at most 59 other
/// characters that they encode (RFC 3492).
enum { CIDN_CAPACITY = 256 };

typedef enum {
    CIDN_OK = 0,
    /// The label is too long, or UTS #46 does not allow it.
    CIDN_INVALID,
    /// The label has a character that IDNA 2008 does not allow. UTS #46 may allow it.
    CIDN_DISALLOWED,
    CIDN_NO_MEMORY,
} cidn_status;

/// Loads the library on the first call. Returns NULL on success, else the reason and the package to install. May be
/// called from any thread.
const char *_Nullable cidn_load(void);

/// Maps a label in UTF-8 to ASCII by UTS #46. Call it only after `cidn_load` has returned NULL.
///
/// @param is_transitional Whether to map the four deviation characters like IDNA 2003. libidn2 then checks only the
/// rules of UTS #46; otherwise it also checks the rules of IDNA 2008, including its rules for joiners and directions.
cidn_status cidn_to_ascii(const char *label, int is_transitional, char output[_Nonnull CIDN_CAPACITY]);

/// Decodes a label that begins with `xn--`, without validating the result. Copies any other label. Call it only after
/// `cidn_load` has returned NULL.
cidn_status cidn_to_unicode(const char *label, char output[_Nonnull CIDN_CAPACITY]);

#pragma clang assume_nonnull end
