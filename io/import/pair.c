/* pair.c - two lines of text to the fields of a pair. */
#include "io/import/pair.h"

#include <inttypes.h>
#include <string.h>

#include "io/import/example.h"
#include "io/text/check.h"

#define SIDES(a, b)                                                                                                    \
    {                                                                                                                  \
        [PAIR_SOURCE] = {.name = "source", .vocab = a, .levels = 1, .special = true},                                  \
        [PAIR_TARGET] = {.name = "target", .vocab = b, .levels = 1, .special = true},                                  \
        [PAIR_SURE] = {.name = "sure", .vocab = "", .levels = 1},                                                      \
        [PAIR_POSSIBLE] = {.name = "possible", .vocab = "", .levels = 1},                                              \
    }
static const ImportField apart[PAIR_FIELDS] = SIDES("source", "target");
static const ImportField together[PAIR_FIELDS] = SIDES("shared", "shared");

int pair_fields(bool shared, bool links, const ImportField **fields)
{
    *fields = shared ? together : apart;
    return links ? PAIR_FIELDS : PAIR_SURE;
}

const char *const pair_reasons[] = {"a side without words", "a side longer than source.max_length",
                                    "sides more unequal than source.max_ratio", NULL};

Status pair_check_links(const TextSettings *text)
{
    REQUIRE(strcmp(text->words, "space") == 0 && text->punctuation, ERR_CONFIG,
            "text.words is %s%s, but links count the words of the file: words: space and punctuation: true are needed",
            text->words, text->punctuation ? "" : ", without punctuation");
    return OK;
}

static int left_out(const PairCaps *c, int64_t S, int64_t T)
{
    const int64_t longer = S > T ? S : T, shorter = S > T ? T : S;
    if (shorter == 0) return PAIR_EMPTY;
    if (c->max_length > 0 && longer > c->max_length) return PAIR_LONG;
    return c->max_ratio > 0 && (double)longer > c->max_ratio * (double)shorter ? PAIR_UNEQUAL : PAIR_KEPT;
}

/* Words between blanks. What has no visible character is no word to text_split: then the numbers would be shifted. */
static Status same_words(const char *file, int64_t line, Word text, int64_t words)
{
    int64_t n = 0;
    bool inside = false;
    for (size_t i = 0; i < text.size; i++) {
        const bool blank = strchr(" \t\r\v\f", text.text[i]) != NULL;
        n += !blank && !inside;
        inside = !blank;
    }
    REQUIRE(n == words, ERR_DATA,
            "%s:%" PRId64 ": %" PRId64 " words between spaces, but %" PRId64
            " that can be seen: links would count them differently",
            file, line, n, words);
    return OK;
}

static Status put_links(const PairText *p, int64_t S, int64_t T, Arena *scratch, Example *out)
{
    LinkRule rule = p->link_rule;
    Links links;
    TRY(same_words(p->source_file, p->line, p->source, S));
    TRY(same_words(p->target_file, p->line, p->target, T));
    rule.S = S;
    rule.T = T;
    TRY(text_require(p->links.text, p->links.size, rule.file, rule.line));
    TRY(links_parse(p->links, &rule, scratch, &links));
    TRY(example_numbers(&out->field[PAIR_SURE], scratch, 2 * links.n_sure, links.sure));
    return example_numbers(&out->field[PAIR_POSSIBLE], scratch, 2 * links.n_possible, links.possible);
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
    if (p->has_links) return put_links(p, source.words, target.words, scratch, out);
    TRY(example_numbers(&out->field[PAIR_SURE], scratch, 0, NULL));
    return example_numbers(&out->field[PAIR_POSSIBLE], scratch, 0, NULL);
}
