/* h5_chunks.c - whole chunks with their checksums, handed to HDF5 as they will lie in the file.
 *
 * HDF5's own way copies each chunk twice and sums it two bytes at a time, which took two thirds of the time of building
 * a checkpoint. HDF5 checks these sums like its own when it reads. */
#include <string.h>

#include "io/h5/h5_core.h"

enum { LANES = 8, ROWS = 256, MODULUS = 65535, SUM = 4 };

typedef struct Sums {
    uint64_t first, second; /* modulo MODULUS */
    bool any;               /* a word that is not 0 was seen: 0 and MODULUS are then told apart */
} Sums;

/* rows of LANES words. With d the words and k their number: first += sum d_i, second += k first + sum (k - i) d_i,
 * where i = LANES r + l, so that (k - i) = LANES (rows - r) - l. No sum overflows: 65535 * 256 * 257 / 2 < 2^32. */
static void add_rows(Sums *s, const unsigned char *p, int rows)
{
    uint32_t one[LANES] = {0}, two[LANES] = {0};
    for (int r = 0; r < rows; r++) {
        uint16_t word[LANES];
        memcpy(word, p + (size_t)r * sizeof word, sizeof word);
        for (int l = 0; l < LANES; l++) {
            one[l] += word[l];
            two[l] += one[l];
        }
    }
    uint64_t sum = 0, weighted = 0;
    for (int l = 0; l < LANES; l++) {
        sum += one[l];
        weighted += (uint64_t)LANES * two[l] - (uint64_t)l * one[l];
    }
    s->second = (s->second + (uint64_t)rows * LANES * s->first + weighted) % MODULUS;
    s->first = (s->first + sum) % MODULUS;
    s->any = s->any || sum > 0;
}

static void add_word(Sums *s, uint32_t word)
{
    s->first = (s->first + word) % MODULUS;
    s->second = (s->second + s->first) % MODULUS;
    s->any = s->any || word > 0;
}

/* HDF5 takes the words as big-endian: to swap the bytes of a word is to multiply it by 256 modulo 65535. */
static uint32_t swapped(uint64_t sum, bool any)
{
    const uint32_t v = (uint32_t)(sum * 256 % MODULUS);
    return v == 0 && any ? MODULUS : v;
}

/* Fletcher's checksum of 16-bit words (Fletcher 1982), as H5_checksum_fletcher32 of HDF5 computes it. */
static uint32_t fletcher32(const unsigned char *p, size_t size)
{
    Sums s = {0};
    size_t rows = size / (LANES * 2);
    for (; rows > 0;) {
        const int n = rows < ROWS ? (int)rows : ROWS;
        add_rows(&s, p, n);
        p += (size_t)n * LANES * 2;
        rows -= (size_t)n;
    }
    size %= LANES * 2;
    for (; size >= 2; size -= 2, p += 2) add_word(&s, (uint32_t)(p[0] | p[1] << 8));
    if (size) add_word(&s, p[0]);
    return swapped(s.second, s.any) << 16 | swapped(s.first, s.any);
}

bool h5_chunks_are_slabs(H5Type type, int rank, const hsize_t *side, const hsize_t *chunk)
{
    for (int i = 1; i < rank; i++)
        if (chunk[i] != side[i]) return false;
    return side[0] > 0 && H5Tequal(h5_memory_type(type), h5_file_type(type)) > 0; /* a little-endian host */
}

herr_t h5_chunks_write(H5 *h, hid_t set, H5Type type, int rank, const hsize_t *side, const hsize_t *chunk,
                       const void *data)
{
    size_t row = h5_type_size(type);
    for (int i = 1; i < rank; i++) row *= (size_t)side[i];
    const size_t whole = row * (size_t)chunk[0];
    if (buffer_reserve(&h->chunk, whole + SUM) != OK) return -1;
    unsigned char *bytes = (unsigned char *)h->chunk.data;
    for (hsize_t first = 0; first < side[0]; first += chunk[0]) {
        const hsize_t offset[H5_RANK] = {first};
        const size_t rows = (size_t)(side[0] - first < chunk[0] ? side[0] - first : chunk[0]);
        memcpy(bytes, (const unsigned char *)data + (size_t)first * row, rows * row);
        memset(bytes + rows * row, 0, whole - rows * row); /* a chunk at the edge is written whole */
        const uint32_t sum = fletcher32(bytes, whole);
        for (int i = 0; i < SUM; i++) bytes[whole + (size_t)i] = (unsigned char)(sum >> (8 * i));
        if (H5Dwrite_chunk(set, H5P_DEFAULT, 0, offset, whole + SUM, bytes) < 0) return -1;
    }
    return 0;
}
