/* yaml.h - a YAML text as a small tree in which every key and value knows its line and column.
 *
 * For configs only: one document, at most YAML_BYTES, YAML_DEPTH and YAML_NODES (aliases count as what they stand
 * for), no tags, no directives. Only yaml.c includes libyaml. */
#ifndef IO_CONFIG_YAML_H
#define IO_CONFIG_YAML_H
#include "comm/arena.h"

enum { YAML_BYTES = 1 << 20, YAML_DEPTH = 64, YAML_NODES = 100000, YAML_ANCHORS = 256 };

typedef enum YamlKind { YAML_TEXT, YAML_LIST, YAML_MAP } YamlKind;

typedef struct YamlNode YamlNode;
struct YamlNode {
    YamlKind kind;
    int line, column; /* from 1; the column in characters */
    const char *text; /* of a YAML_TEXT, without a NUL inside */
    bool plain;       /* written without quotes, not as a block */
    YamlNode *first;  /* items of a list, keys of a map */
    YamlNode *next;   /* the next item or key */
    YamlNode *value;  /* of a key */
};

/* The tree lives in the arena. ERR_CONFIG with "name:line:column: ..." when it is not one readable document. */
NODISCARD Status yaml_read(YamlNode **out, Arena *a, const char *name, const char *text, size_t size);

/* A plain ~, null, or nothing at all. */
bool yaml_is_null(const YamlNode *node);

#endif
