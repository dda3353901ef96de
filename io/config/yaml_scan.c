/* yaml_scan.c - what is looked at before libyaml sees a byte. */
#include "io/config/yaml_scan.h"

#include <string.h>

#include "io/config/yaml.h"
#include "io/format/utf8.h"

void yaml_position(const char *text, size_t offset, int *line, int *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            ++*column;
        }
    }
}

bool yaml_tab_indent(const char *text, size_t size, int line, int *column)
{
    size_t i = 0;
    for (int l = 1; l < line && i < size; i++) l += text[i] == '\n';
    for (*column = 1; i < size && text[i] == ' '; i++) ++*column;
    return i < size && text[i] == '\t';
}

static Status bad_byte(const char *name, const char *text, size_t offset)
{
    int line, column;
    const unsigned byte = (unsigned char)text[offset];
    yaml_position(text, offset, &line, &column);
    if (byte == 0) FAIL(ERR_CONFIG, "%s:%d:%d: a NUL byte: this is not a text file", name, line, column);
    if (byte >= 0x80) FAIL(ERR_CONFIG, "%s:%d:%d: byte 0x%02x is not UTF-8", name, line, column, byte);
    FAIL(ERR_CONFIG, "%s:%d:%d: control character 0x%02x", name, line, column, byte);
}

/* Each %TAG is compared with all before it (libyaml), and no config needs one. */
static Status check_directives(const char *name, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '%' || (i > 0 && text[i - 1] != '\n')) continue;
        int line, column;
        yaml_position(text, i, &line, &column);
        FAIL(ERR_CONFIG, "%s:%d:1: a line that begins with %%: YAML directives are not used in a config", name, line);
    }
    return OK;
}

Status yaml_scan(const char *name, const char *text, size_t size)
{
    REQUIRE(size > 0, ERR_CONFIG, "%s: the file is empty", name);
    REQUIRE(size <= YAML_BYTES, ERR_CONFIG, "%s: %zu bytes, more than the %d that are allowed", name, size, YAML_BYTES);
    const bool utf16 = size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
    REQUIRE(!utf16, ERR_CONFIG, "%s:1:1: the file is UTF-16; save it as UTF-8", name);
    for (size_t i = 0; i < size;) {
        const unsigned char c = (unsigned char)text[i];
        const size_t n = utf8_length(text + i, size - i);
        const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
        if (n == 0 || control) return bad_byte(name, text, i);
        i += n;
    }
    return check_directives(name, text, size);
}
