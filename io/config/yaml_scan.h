/* yaml_scan.h - what is looked at before libyaml sees a byte: size, encoding, control characters, directives.
 *
 * Internal to yaml.c. */
#ifndef IO_CONFIG_YAML_SCAN_H
#define IO_CONFIG_YAML_SCAN_H
#include "comm/status.h"

#include <stddef.h>

NODISCARD Status yaml_scan(const char *name, const char *text, size_t size);
/* Line and column (from 1, in characters) of a byte. */
void yaml_position(const char *text, size_t offset, int *line, int *column);
/* Does the indentation of this line (from 1) hold a tab? *column: where. */
bool yaml_tab_indent(const char *text, size_t size, int line, int *column);

#endif
