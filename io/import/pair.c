/* pair.c - two lines of text to the fields of a pair. */
#include "io/import/pair.h"

#include <inttypes.h>
#include <string.h>

#include "io/batch/example.h"
#include "io/text/check.h"

#define SIDE(side, has, words)                                                                                         \
    {                                                                                                                  \
        .name = side, .role = (has), .vocab = words, .levels = 1, .special = true                                      \
    }
#define GOLD(title, may)                                                                                               \
    {                                                                                                                  \
        .name = title, .role = ROLE_GOLD, .of = "source", .levels = 1, .unit = 1, .links = true, .possible = (may)     \
    }
#define SPELLING(title, side)                                                                                          \
    {                                                                                                                  \
        .name = title, .role = ROLE_SPELLING, .of = side, .vocab = "characters", .levels = 2, .special = true          \
    }
#define APART      SIDE("source", ROLE_INPUT, "source"), SIDE("target", ROLE_TARGET, "target")
#define TOGETHER   SIDE("source", ROLE_INPUT, "shared"), SIDE("target", ROLE_TARGET, "shared")
#define LINKS      GOLD("sure", false), GOLD("possible", true)
#define CHARACTERS SPELLING("source_chars", "source"), SPELLING("target_chars", "target")

int pair_fields(PairKind kind, DataField fields[BATCH_FIELDS])
{
    enum { MOST = 6 };
    static const DataField all[2][2][2][MOST] = {
        {{{APART}, {APART, CHARACTERS}}, {{APART, LINKS}, {APART, LINKS, CHARACTERS}}},
        {{{TOGETHER}, {TOGETHER, CHARACTERS}}, {{TOGETHER, LINKS}, {TOGETHER, LINKS, CHARACTERS}}},
    };
    const int n = 2 + 2 * kind.links + 2 * kind.characters;
    memcpy(fields, all[kind.shared][kind.links][kind.characters], (size_t)n * sizeof *fields);
    return n;
}

const char *const pair_reasons[] = {"a side without words", "a side longer than source.max_length",
                                    "sides more unequal than source.max_ratio", NULL};

Status pair_check_links(const TextSettings *text)
{
    REQUIRE(text->words == TEXT_WORDS_SPACE && text->punctuation, ERR_CONFIG,
            "text.words is %s%s, but links count the words of the file: words: space and punctuation: true are needed",
            text_words_name((int)text->words), text->punctuation ? "" : ", without punctuation");
    return OK;
}

static int left_out(const PairCaps *c, int64_t S, int64_t T)
{
    const int64_t longer = S > T ? S : T, shorter = S > T ? T : S;
    if (shorter == 0) return PAIR_EMPTY;
    if (c->max_length > 0 && longer > c->max_length) return PAIR_LONG;
    return c->max_ratio > 0 && (double)longer > c->max_ratio * (double)shorter ? PAIR_UNEQUAL : PAIR_KEPT;
}

/* Links count what stands between blanks. Such a token is one word to text_split too, but for those in which a space
 * hides: a control character, or nothing that can be seen. Token k has the words [first[k], first[k + 1]). */
typedef struct Tokens {
    int64_t n;
    int64_t *first; /* (n + 1) */
} Tokens;

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static Status find_tokens(TextTool *tool, const char *file, int64_t line, Word text, int64_t words, Arena *scratch,
                          Tokens *out)
{
    out->n = 0;
    TRY_NEW(out->first, scratch, (int64_t)text.size + 2);
    for (size_t at = 0, end; at < text.size; at = end + 1) {
        TextWords w;
        for (end = at; end < text.size && !is_blank(text.text[end]);) end++;
        if (end == at) continue;
        TRY(text_split(tool, text.text + at, end - at, scratch, &w));
        out->first[out->n + 1] = out->first[out->n] + w.words;
        out->n++;
    }
    REQUIRE(out->first[out->n] == words, ERR_DATA,
            "%s:%" PRId64 ": %" PRId64 " words, but %" PRId64 " when each token stands alone: links cannot count them",
            file, line, words, out->first[out->n]);
    return OK;
}

/* Links of tokens as links of their words. */
static Status put_links_of(int64_t n, const int32_t *link, const Tokens *source, const Tokens *target, Arena *scratch,
                           ExampleField *out)
{
    int64_t all = 0;
    int32_t *word;
    for (int64_t k = 0; k < n; k++) {
        const int32_t i = link[2 * k], j = link[2 * k + 1];
        all += (source->first[i + 1] - source->first[i]) * (target->first[j + 1] - target->first[j]);
    }
    TRY_NEW(word, scratch, 2 * all);
    all = 0;
    for (int64_t k = 0; k < n; k++) {
        const int32_t i = link[2 * k], j = link[2 * k + 1];
        for (int64_t a = source->first[i]; a < source->first[i + 1]; a++) {
            for (int64_t b = target->first[j]; b < target->first[j + 1]; b++) {
                word[all++] = (int32_t)a;
                word[all++] = (int32_t)b;
            }
        }
    }
    return example_numbers(out, scratch, all, word);
}

static Status put_links(TextTool *tool, const PairText *p, int64_t S, int64_t T, Arena *scratch, Example *out)
{
    LinkRule rule = p->link_rule;
    Links links;
    Tokens source, target;
    TRY(find_tokens(tool, p->source_file, p->line, p->source, S, scratch, &source));
    TRY(find_tokens(tool, p->target_file, p->line, p->target, T, scratch, &target));
    rule.S = source.n;
    rule.T = target.n;
    TRY(text_require(p->links.text, p->links.size, rule.file, rule.line));
    TRY(links_parse(p->links, &rule, scratch, &links));
    TRY(put_links_of(links.n_sure, links.sure, &source, &target, scratch, &out->field[PAIR_SURE]));
    return put_links_of(links.n_possible, links.possible, &source, &target, scratch, &out->field[PAIR_POSSIBLE]);
}

Status pair_parse(TextTool *tool, const PairText *p, const PairCaps *caps, Arena *scratch, Example *out)
{
    TextWords source, target;
    *out = (Example){0};
    TRY(text_require(p->source.text, p->source.size, p->source_file, p->line));
    TRY(text_require(p->target.text, p->target.size, p->target_file, p->line));
    TRY(text_split(tool, p->source.text, p->source.size, scratch, &source));
    TRY(text_split(tool, p->target.text, p->target.size, scratch, &target));
    out->left_out = left_out(caps, source.words, target.words);
    if (out->left_out != PAIR_KEPT) return OK;
    TRY(example_words(&out->field[PAIR_SOURCE], scratch, &source));
    TRY(example_words(&out->field[PAIR_TARGET], scratch, &target));
    if (p->kind.characters) {
        ExampleField *f = &out->field[p->kind.links ? 4 : 2];
        TRY(example_characters(&f[0], scratch, source.words, source.word));
        TRY(example_characters(&f[1], scratch, target.words, target.word));
    }
    if (!p->kind.links) return OK;
    if (p->has_links) return put_links(tool, p, source.words, target.words, scratch, out);
    TRY(example_numbers(&out->field[PAIR_SURE], scratch, 0, NULL));
    return example_numbers(&out->field[PAIR_POSSIBLE], scratch, 0, NULL);
}
