/* corpus_forms.c - reading the files that say how words are spelled. They are small: always compared with their digest.
 */
#include <stdio.h>
#include <string.h>

#include "io/corpus/corpus_parts.h"
#include "io/file/file.h"

static const size_t FORM_MOST = (size_t)1 << 30; /* bytes */

static Status read_into(const IndexForm *f, Arena *run, const char *path, Buffer *text, Form *form)
{
    char hex[HASH_HEX];
    TRY(file_read(path, FORM_MOST, text));
    hash_bytes(text->data, text->size, hex);
    REQUIRE(strcmp(hex, f->file.xxh3) == 0, ERR_DATA,
            "%s: %s of vocabulary %s that are damaged or of another corpus: found digest %s, expected %s", path,
            index_form_kind[f->kind], f->vocab, hex, f->file.xxh3);
    if (strcmp(index_form_kind[f->kind], "merges") == 0)
        return bpe_parse(&form->subwords, run, path, text->data, text->size);
    if (strcmp(index_form_kind[f->kind], "cases") == 0)
        return truecase_parse(&form->cases, run, path, text->data, text->size);
    REQUIRE(form->subwords, ERR_DATA, "%s: a list of subwords without merges", path);
    return bpe_parse_allowed(form->subwords, path, text->data, text->size);
}

Status corpus_read_forms(const Index *x, Arena *run, const char *folder, Form *forms)
{
    for (int i = 0; i < x->n_forms; i++) {
        char path[PATH_MAX];
        Buffer text = {0};
        int v = 0;
        const int n = snprintf(path, sizeof path, "%s/%s", folder, x->form[i].file.name);
        REQUIRE(n > 0 && n < PATH_MAX, ERR_INPUT, "%.80s...: the path is too long", folder);
        while (strcmp(x->vocab[v].name, x->form[i].vocab) != 0) v++; /* index_parse has seen that it is there */
        const Status st = read_into(&x->form[i], run, path, &text, &forms[v]);
        buffer_close(&text);
        TRY(st);
    }
    return OK;
}
