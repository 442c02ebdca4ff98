#pragma once
#include <nettle/sha2.h>
#include <nettle/version.h>

// Nettle renames its functions with macros, which Swift does not import. Since Nettle 4.0, `sha256_digest` has no
// parameter for the length. These functions hide both differences.

static inline void cnettle_sha256_init(struct sha256_ctx *context) { sha256_init(context); }

static inline void cnettle_sha256_update(struct sha256_ctx *context, size_t count, const uint8_t *bytes) {
    sha256_update(context, count, bytes);
}

/// Writes the 32 bytes of the digest and resets the context.
static inline void cnettle_sha256_digest(struct sha256_ctx *context, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR >= 4
    sha256_digest(context, digest);
#else
    sha256_digest(context, SHA256_DIGEST_SIZE, digest);
#endif
}
