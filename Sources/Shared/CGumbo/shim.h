#pragma once
#include <gumbo.h>

/// Parses `length` bytes of UTF-8 with gumbo's default options, as the content of a `div` if `is_fragment`, otherwise
/// as a page. Free the result with `apod_gumbo_free`. The bytes must outlive the result.
///
/// Swift cannot call gumbo directly, because it imports `kGumboDefaultOptions` as shared mutable state.
static inline GumboOutput *apod_gumbo_parse(const char *bytes, size_t length, bool is_fragment) {
    GumboOptions options = kGumboDefaultOptions;
    options.max_errors = 0;
    if (is_fragment) options.fragment_context = GUMBO_TAG_DIV;
    return gumbo_parse_with_options(&options, bytes, length);
}

static inline void apod_gumbo_free(GumboOutput *output) { gumbo_destroy_output(&kGumboDefaultOptions, output); }
