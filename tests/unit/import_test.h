/* import_test.h - for the tests of importers: files in a temporary folder, settings from presets, examples as text. */
#ifndef TESTS_UNIT_IMPORT_TEST_H
#define TESTS_UNIT_IMPORT_TEST_H
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "component.h"
#include "io/import/import.h"
#include "io/text/vocab.h"

static Arena run, scratch;
static char folder[64];

static inline void folder_make(void)
{
    strcpy(folder, "/tmp/mneme-import-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0); /* so that messages have short names */
}

static inline void folder_remove(void)
{
    char command[128];
    assert_int_equal(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static inline void file_of(const char *path, const char *text, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}
#define FILE_OF(path, text) file_of((path), (text), sizeof(text) - 1)

/* The struct of the rows, filled from the presets and then from key, value, key, value, ..., NULL. */
static inline void *settings_from(const Field *fields, int n, size_t size, va_list args)
{
    char *s = arena_zeros(&run, 1, size);
    assert_non_null(s);
    component_presets(fields, n, s);
    for (const char *key; (key = va_arg(args, const char *));)
        component_put_path(fields, n, s, key, va_arg(args, const char *));
    return s;
}

static inline void *settings_of(const char *importer, ...)
{
    const Component *c = &import_find(importer)->component;
    va_list args;
    va_start(args, importer);
    void *s = settings_from(c->fields, c->n_fields, c->size, args);
    va_end(args);
    return s;
}

static inline TextSettings *text_of(const char *first, ...)
{
    va_list args;
    va_start(args, first);
    TextSettings *s = settings_from(text_section.fields, text_section.n_fields, text_section.size, args);
    va_end(args);
    return s;
}

/* The first fault of a walk over a whole split, or OK; *n counts the examples. */
static inline Status walk(const char *importer, const void *settings, const TextSettings *text, const char *split,
                          int *n)
{
    Importer *im = NULL;
    Record r;
    Example e;
    bool end = false;
    *n = 0;
    Status st = import_open(&im, &run, importer, settings, text, split);
    while (st == OK) {
        st = import_next(im, &r, &end);
        if (st != OK || end) break;
        arena_release(&scratch, (ArenaMark){0});
        st = import_parse(im, &r, &scratch, &e);
        *n += st == OK;
    }
    import_close(im);
    return st;
}

/* A field as text: words parted by a space, sentences by " / ", numbers like words. */
static inline const char *field_text_of(const DataField *fields, int n, const Example *e, const char *name)
{
    static char text[1 << 16];
    size_t at = 0;
    text[0] = '\0';
    for (int k = 0; k < n; k++) {
        if (strcmp(fields[k].name, name) != 0) continue;
        const ExampleField *f = &e->field[k];
        const int levels = fields[k].levels;
        int64_t sentence = 0;
        for (int64_t i = 0; i < f->count[levels]; i++) {
            const char *gap = i ? " " : "";
            for (; levels == 2 && sentence < f->count[1] && f->offset[1][sentence] == i; sentence++)
                if (i) gap = " / ";
            if (f->word)
                at +=
                    (size_t)snprintf(text + at, sizeof text - at, "%s%.*s", gap, (int)f->word[i].size, f->word[i].text);
            else
                at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", gap, (int)f->number[i]);
        }
        return text;
    }
    fail_msg("no field %s", name);
    return text;
}

static inline const char *field_text(const ImporterDef *def, const Example *e, const char *name)
{
    return field_text_of(def->fields, def->n_fields, e, name);
}

/* The words between spaces, counted. */
static inline Vocab *counted(const char *bytes)
{
    VocabBuilder *b;
    Vocab *v;
    CHECK_OK(vocab_builder_open(&b, &run, "words", 1 << 20));
    while (*bytes) {
        const size_t n = strcspn(bytes, " ");
        if (n > 0) CHECK_OK(vocab_builder_add(b, bytes, n, 1));
        bytes += n + (bytes[n] == ' ');
    }
    CHECK_OK(vocab_build(&v, &run, b, &(VocabLimits){0}));
    vocab_builder_close(b);
    return v;
}

#endif
