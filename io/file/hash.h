/* hash.h - XXH3 128 of bytes and files, as 32 hexadecimal digits.
 *
 * It finds damage and mixed-up files; it is no protection against a person who forges them. */
#ifndef IO_FILE_HASH_H
#define IO_FILE_HASH_H
#include <stddef.h>
#include <stdint.h>

#include "comm/status.h"

enum { HASH_HEX = 33, HASH_STATE = 576 };

typedef struct Hash {
    _Alignas(64) unsigned char state[HASH_STATE];
} Hash;

void hash_begin(Hash *h);
void hash_add(Hash *h, const void *data, size_t size);
void hash_end(const Hash *h, char hex[HASH_HEX]);

void hash_bytes(const void *data, size_t size, char hex[HASH_HEX]);
/* A digest as two numbers and back. ERR_DATA: hex is none. */
NODISCARD Status hash_halves(const char *hex, uint64_t half[2]);
void hash_hex(const uint64_t half[2], char hex[HASH_HEX]);
NODISCARD Status hash_file(const char *path, char hex[HASH_HEX], int64_t *bytes); /* bytes may be NULL */

#endif
