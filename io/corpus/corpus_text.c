/* corpus_text.c - between the text of a user and the words of a corpus: the same settings in, plain text out. */
#include <stdio.h>
#include <string.h>

#include "io/corpus/corpus_parts.h"
#include "io/text/detokenise.h"

DetokeniseHow corpus_detokenise(const Corpus *c, const char *vocab)
{
    const Form *f = corpus_form(c, vocab);
    return (DetokeniseHow){.subwords = f && f->subwords, .truecase = f && f->cases};
}

/* --- The settings that the corpus was packed with --- */

static const char *value_of(const Field *f, const TextSettings *s)
{
    const void *at = (const char *)s + f->offset;
    return f->kind == FIELD_CHOICE ? f->choice(*(const int *)at) : *(const bool *)at ? "true" : "false";
}

Status corpus_describe_text(const TextSettings *s, Buffer *out)
{
    for (int i = 0; i < text_section.n_fields; i++) {
        const Field *f = &text_section.fields[i];
        TRY(buffer_format(out, "%s%s=%s", i ? " " : "", f->key, value_of(f, s)));
    }
    return OK;
}

Status corpus_check_text(const Corpus *c, const TextSettings *s)
{
    const char *packed = corpus_index(c)->text;
    for (int i = 0; i < text_section.n_fields; i++) {
        const Field *f = &text_section.fields[i];
        char key[NAME_SIZE];
        const size_t n = (size_t)snprintf(key, sizeof key, "%s=", f->key);
        const char *at = strstr(packed, key), *now = value_of(f, s);
        while (at && at != packed && at[-1] != ' ') at = strstr(at + 1, key);
        if (!at) continue; /* packed when there was no such setting, or by other means */
        const size_t size = strcspn(at + n, " ");
        REQUIRE(strlen(now) == size && memcmp(now, at + n, size) == 0, ERR_CONFIG,
                "text.%s is %s, but %s was packed with %.*s", f->key, now, corpus_folder(c), (int)size, at + n);
    }
    return OK;
}
