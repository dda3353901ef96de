/* events.h - TensorBoard's event files: records of TFRecord framing that hold hand-encoded protocol buffers.
 *
 * A record is: length (8 bytes), masked CRC-32C of the length (4), data, masked CRC-32C of the data (4), all little
 * endian. The data is a tensorflow.Event: wall_time (1, double), step (2, varint), file_version (3, text) or
 * summary (5): values (1) of tag (1, text) and simple_value (2, float); or, of a text, of tag, metadata (9): plugin_data
 * (1): plugin_name (1, "text"), and tensor (8): dtype (1, 7: strings), tensor_shape (2): dim (2): size (1, 1),
 * string_val (8, text). */
#ifndef IO_RECORD_EVENTS_H
#define IO_RECORD_EVENTS_H
#include "comm/arena.h"

uint32_t events_crc32c(const void *bytes, size_t size);     /* Castagnoli, as in RFC 3720 */
uint32_t events_masked_crc(const void *bytes, size_t size); /* rotated right by 15, plus 0xa282ead8 */

/* Append one record: the frame around an event. */
NODISCARD Status events_record(Buffer *out, const Buffer *event);
/* Append the first record of a file, which names the format's version. */
NODISCARD Status events_header(Buffer *out, double wall_time);
/* Append one record with a scalar per name; tags are "group/name". */
NODISCARD Status events_scalars(Buffer *out, double wall_time, int64_t step, const char *group, int n,
                                const char *const *name, const double *value);
/* Append one record with a text (Markdown, for TensorBoard's page of texts) under the tag group/name. */
NODISCARD Status events_text(Buffer *out, double wall_time, int64_t step, const char *group, const char *name,
                             const char *text, size_t size);
/* An AppendScan: context is an int64_t, the last step that stays. Damaged and torn records end the file. */
NODISCARD Status events_scan(void *context, int fd, const char *path, int64_t size, int64_t *keep);

#endif
