/* yaml.c - a YAML text as a small tree; the only file that knows libyaml. */
#include "io/config/yaml.h"

#include <string.h>
#include <yaml.h>

#include "comm/utf8.h"

/* --- What is looked at before libyaml sees a byte: size, encoding, control characters, directives --- */

/* Line and column (from 1, in characters) of a byte. */
static void position(const char *text, size_t offset, int *line, int *column)
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

/* Does the indentation of this line (from 1) hold a tab? *column: where. */
static bool tab_indent(const char *text, size_t size, int line, int *column)
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
    position(text, offset, &line, &column);
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
        position(text, i, &line, &column);
        FAIL(ERR_CONFIG, "%s:%d:1: a line that begins with %%: YAML directives are not used in a config", name, line);
    }
    return OK;
}

static Status scan(const char *name, const char *text, size_t size)
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

/* --- The tree --- */

typedef struct Anchor {
    const char *name;
    YamlNode *node;
    bool open; /* the node is not complete yet: an alias here would be its own part */
} Anchor;

typedef struct Level {
    YamlNode *node, *last; /* a list or map, its last item or key */
    int anchor;            /* index of its anchor, or -1 */
} Level;

typedef struct Builder {
    Arena *arena;
    const char *name;
    YamlNode *root;
    Level level[YAML_DEPTH];
    int depth, nodes, documents;
    Anchor anchor[YAML_ANCHORS];
    int n_anchors;
} Builder;

bool yaml_is_null(const YamlNode *node)
{
    if (node->kind != YAML_TEXT || !node->plain) return false;
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(node->text, words[i]) == 0) return true;
    return false;
}

static Status new_node(Builder *b, YamlKind kind, int line, int column, YamlNode **out)
{
    REQUIRE(b->nodes < YAML_NODES, ERR_CONFIG, "%s:%d:%d: more than %d values (aliases count as what they stand for)",
            b->name, line, column, YAML_NODES);
    b->nodes++;
    TRY_NEW(*out, b->arena, 1);
    **out = (YamlNode){.kind = kind, .line = line, .column = column};
    return OK;
}

/* Put a node into what is open: the document, a list, or a map (first the key, then its value). */
static Status attach(Builder *b, YamlNode *node)
{
    if (b->depth == 0) {
        b->root = node;
        return OK;
    }
    Level *l = &b->level[b->depth - 1];
    if (l->node->kind == YAML_MAP && l->last && !l->last->value) {
        l->last->value = node;
        return OK;
    }
    if (l->node->kind == YAML_MAP)
        REQUIRE(node->kind == YAML_TEXT, ERR_CONFIG, "%s:%d:%d: a key must be a word, found a %s", b->name, node->line,
                node->column, node->kind == YAML_LIST ? "list" : "map");
    if (l->last)
        l->last->next = node;
    else
        l->node->first = node;
    l->last = node;
    return OK;
}

static Status add_anchor(Builder *b, const yaml_char_t *name, YamlNode *node, bool open, int *index)
{
    *index = -1;
    if (!name) return OK;
    REQUIRE(b->n_anchors < YAML_ANCHORS, ERR_CONFIG, "%s:%d:%d: more than %d anchors", b->name, node->line,
            node->column, YAML_ANCHORS);
    const char *copy = arena_text(b->arena, (const char *)name);
    if (!copy) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    *index = b->n_anchors++;
    b->anchor[*index] = (Anchor){copy, node, open};
    return OK;
}

static Status refuse_tag(const Builder *b, const yaml_char_t *tag, const yaml_mark_t *at)
{
    static const char standard[] = "tag:yaml.org,2002:"; /* !! */
    if (!tag) return OK;
    const char *text = (const char *)tag;
    const bool two = strncmp(text, standard, sizeof standard - 1) == 0;
    FAIL(ERR_CONFIG, "%s:%d:%d: tag %s%.60s: tags are not used in a config", b->name, (int)at->line + 1,
         (int)at->column + 1, two ? "!!" : "", two ? text + sizeof standard - 1 : text);
}

static Status on_text(Builder *b, const yaml_event_t *e)
{
    const int line = (int)e->start_mark.line + 1, column = (int)e->start_mark.column + 1;
    const char *text = (const char *)e->data.scalar.value;
    const size_t size = e->data.scalar.length;
    TRY(refuse_tag(b, e->data.scalar.tag, &e->start_mark));
    REQUIRE(strlen(text) == size, ERR_CONFIG, "%s:%d:%d: a text with a NUL character", b->name, line, column);
    YamlNode *node;
    TRY(new_node(b, YAML_TEXT, line, column, &node));
    char *copy = arena_alloc(b->arena, size + 1);
    if (!copy) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    node->text = memcpy(copy, text, size + 1);
    node->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    int anchor;
    TRY(add_anchor(b, e->data.scalar.anchor, node, false, &anchor));
    return attach(b, node);
}

static Status on_start(Builder *b, const yaml_event_t *e, YamlKind kind)
{
    const int line = (int)e->start_mark.line + 1, column = (int)e->start_mark.column + 1;
    const bool list = kind == YAML_LIST;
    REQUIRE(b->depth < YAML_DEPTH, ERR_CONFIG, "%s:%d:%d: nested deeper than %d levels", b->name, line, column,
            YAML_DEPTH);
    TRY(refuse_tag(b, list ? e->data.sequence_start.tag : e->data.mapping_start.tag, &e->start_mark));
    YamlNode *node;
    int anchor;
    TRY(new_node(b, kind, line, column, &node));
    TRY(add_anchor(b, list ? e->data.sequence_start.anchor : e->data.mapping_start.anchor, node, true, &anchor));
    TRY(attach(b, node));
    b->level[b->depth++] = (Level){node, NULL, anchor};
    return OK;
}

static void on_end(Builder *b)
{
    const int anchor = b->level[--b->depth].anchor;
    if (anchor >= 0) b->anchor[anchor].open = false;
}

/* What an alias stands for is copied, so that every list of siblings is its own; the caps bound the copies. The
 * recursion is at most YAML_DEPTH deep. */
static Status copy_node(Builder *b, const YamlNode *from, int line, int column, YamlNode **out)
{
    TRY(new_node(b, from->kind, line, column, out));
    (*out)->text = from->text;
    (*out)->plain = from->plain;
    YamlNode **tail = &(*out)->first;
    for (const YamlNode *child = from->first; child; child = child->next) {
        TRY(copy_node(b, child, line, column, tail));
        if (child->value) TRY(copy_node(b, child->value, line, column, &(*tail)->value));
        tail = &(*tail)->next;
    }
    return OK;
}

static int height(const YamlNode *node)
{
    int most = 0;
    for (const YamlNode *child = node->first; child; child = child->next) {
        const int h = height(child->value ? child->value : child);
        most = h > most ? h : most;
    }
    return node->kind == YAML_TEXT ? 0 : 1 + most;
}

static Status on_alias(Builder *b, const yaml_event_t *e)
{
    const int line = (int)e->start_mark.line + 1, column = (int)e->start_mark.column + 1;
    const char *name = (const char *)e->data.alias.anchor;
    int i = b->n_anchors - 1;
    while (i >= 0 && strcmp(b->anchor[i].name, name) != 0) i--;
    REQUIRE(i >= 0, ERR_CONFIG, "%s:%d:%d: *%.60s: there is no anchor &%.60s before it", b->name, line, column, name,
            name);
    REQUIRE(!b->anchor[i].open, ERR_CONFIG, "%s:%d:%d: *%.60s stands inside what it names", b->name, line, column,
            name);
    REQUIRE(b->depth + height(b->anchor[i].node) <= YAML_DEPTH, ERR_CONFIG, "%s:%d:%d: nested deeper than %d levels",
            b->name, line, column, YAML_DEPTH);
    YamlNode *node = NULL;
    TRY(copy_node(b, b->anchor[i].node, line, column, &node));
    return attach(b, node);
}

static Status on_event(Builder *b, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        REQUIRE(b->documents++ == 0, ERR_CONFIG, "%s:%d:%d: a second document begins here; a config is one document",
                b->name, (int)e->start_mark.line + 1, (int)e->start_mark.column + 1);
        return OK;
    case YAML_SCALAR_EVENT: return on_text(b, e);
    case YAML_SEQUENCE_START_EVENT: return on_start(b, e, YAML_LIST);
    case YAML_MAPPING_START_EVENT: return on_start(b, e, YAML_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: on_end(b); return OK;
    case YAML_ALIAS_EVENT: return on_alias(b, e);
    default: return OK;
    }
}

static Status syntax_fault(const Builder *b, const yaml_parser_t *p, const char *text, size_t size)
{
    REQUIRE(p->error != YAML_MEMORY_ERROR, ERR_HOST, "%s: out of memory while reading YAML", b->name);
    int line = (int)p->problem_mark.line + 1, column = (int)p->problem_mark.column + 1, tab;
    const char *problem = p->problem ? p->problem : "unknown error";
    if (p->error == YAML_READER_ERROR) position(text, p->problem_offset, &line, &column);
    if (tab_indent(text, size, line, &tab))
        FAIL(ERR_CONFIG, "%s:%d:%d: a tab indents this line; YAML is indented with spaces", b->name, line, tab);
    if (p->context && p->context_mark.line != p->problem_mark.line)
        FAIL(ERR_CONFIG, "%s:%d:%d: not valid YAML: %s (%s that begins at line %d, column %d)", b->name, line, column,
             problem, p->context, (int)p->context_mark.line + 1, (int)p->context_mark.column + 1);
    FAIL(ERR_CONFIG, "%s:%d:%d: not valid YAML: %s", b->name, line, column, problem);
}

static Status read_events(Builder *b, yaml_parser_t *p, const char *text, size_t size)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(p, &event)) return syntax_fault(b, p, text, size);
        const bool end = event.type == YAML_STREAM_END_EVENT;
        const Status st = on_event(b, &event);
        yaml_event_delete(&event);
        if (st != OK || end) return st;
    }
}

Status yaml_read(YamlNode **out, Arena *a, const char *name, const char *text, size_t size)
{
    *out = NULL;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark says nothing in UTF-8 */
        text += 3;
        size -= 3;
    }
    TRY(scan(name, text, size));
    Builder *b;
    TRY_NEW(b, a, 1);
    b->arena = a;
    b->name = name;
    yaml_parser_t parser;
    REQUIRE(yaml_parser_initialize(&parser), ERR_HOST, "%s: out of memory while reading YAML", name);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING); /* nothing is guessed */
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    const Status st = read_events(b, &parser, text, size);
    yaml_parser_delete(&parser);
    TRY(st);
    REQUIRE(b->root, ERR_CONFIG, "%s: the file holds nothing but comments", name);
    *out = b->root;
    return OK;
}
