/* hash.c - XXH3 128. */
#include "io/file/hash.h"

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/file/file.h"

_Static_assert(sizeof(XXH3_state_t) <= HASH_STATE && _Alignof(XXH3_state_t) <= 64, "Hash holds the state of XXH3");

static XXH3_state_t *state_of(Hash *h) { return (XXH3_state_t *)(void *)h->state; }

void hash_hex(const uint64_t half[2], char hex[HASH_HEX])
{
    snprintf(hex, HASH_HEX, "%016" PRIx64 "%016" PRIx64, half[0], half[1]);
}

Status hash_halves(const char *hex, uint64_t half[2])
{
    REQUIRE(strlen(hex) == HASH_HEX - 1 && sscanf(hex, "%16" SCNx64 "%16" SCNx64, &half[0], &half[1]) == 2, ERR_DATA,
            "\"%.40s\" is no digest", hex);
    return OK;
}

static void to_hex(XXH128_hash_t v, char hex[HASH_HEX]) { hash_hex((const uint64_t[]){v.high64, v.low64}, hex); }

/* Neither can fail on a state that exists: the return codes of xxHash speak of NULL alone. */
void hash_begin(Hash *h) { (void)XXH3_128bits_reset(state_of(h)); }

void hash_add(Hash *h, const void *data, size_t size)
{
    if (size) (void)XXH3_128bits_update(state_of(h), data, size);
}

void hash_end(const Hash *h, char hex[HASH_HEX])
{
    to_hex(XXH3_128bits_digest((const XXH3_state_t *)(const void *)h->state), hex);
}

void hash_bytes(const void *data, size_t size, char hex[HASH_HEX]) { to_hex(XXH3_128bits(data, size), hex); }

typedef struct FileHash {
    Hash hash;
    int64_t bytes;
} FileHash;

static Status add_piece(void *context, const void *data, size_t size)
{
    FileHash *f = context;
    hash_add(&f->hash, data, size);
    f->bytes += (int64_t)size;
    return OK;
}

Status hash_file(const char *path, char hex[HASH_HEX], int64_t *bytes)
{
    FileHash f = {.bytes = 0};
    hash_begin(&f.hash);
    TRY(file_each(path, add_piece, &f));
    hash_end(&f.hash, hex);
    if (bytes) *bytes = f.bytes;
    return OK;
}
