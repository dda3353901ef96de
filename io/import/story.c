/* story.c - lines to fields. */
#include "io/import/story.h"

#include <inttypes.h>
#include <string.h>

#include "io/batch/example.h"
#include "io/text/check.h"

const DataField story_fields[STORY_FIELDS] = {
    [STORY_STORY] = {.name = "story", .role = ROLE_INPUT, .vocab = "words", .levels = 2, .special = true},
    [STORY_QUESTION] = {.name = "question", .role = ROLE_QUERY, .vocab = "words", .levels = 1, .special = true},
    [STORY_ANSWER] = {.name = "answer", .role = ROLE_TARGET, .vocab = "answers", .levels = 0, .special = true},
    [STORY_SUPPORT] = {.name = "support", .role = ROLE_GOLD, .of = "story", .levels = 1, .unit = 1},
    [STORY_TASK] = {.name = "task", .role = ROLE_GROUP, .levels = 0},
};

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static Word trim(const char *text, size_t size)
{
    while (size > 0 && is_space(*text)) text++, size--;
    while (size > 0 && is_space(text[size - 1])) size--;
    return (Word){text, size};
}

/* The digits at *at as a number below 10^9, or -1. */
static int64_t number_at(const char *text, size_t size, size_t *at)
{
    int64_t n = 0;
    const size_t first = *at;
    for (; *at < size && text[*at] >= '0' && text[*at] <= '9'; ++*at) {
        n = n * 10 + (text[*at] - '0');
        if (n > 999999999) return -1;
    }
    return *at > first ? n : -1;
}

static int shown(size_t size) { return (int)(size < 60 ? size : 60); }

Status story_line(const char *line, size_t size, const char *file, int64_t number, StoryLine *out)
{
    *out = (StoryLine){0};
    size_t at = 0;
    out->id = number_at(line, size, &at);
    REQUIRE(out->id >= 0 && at < size && line[at] == ' ', ERR_DATA,
            "%s:%" PRId64 ": a number and a space were expected before the sentence: \"%.*s\"", file, number,
            shown(size), line);
    const char *text = line + at, *end = line + size;
    const char *tab = memchr(text, '\t', (size_t)(end - text));
    out->question = tab != NULL;
    out->text = trim(text, (size_t)((tab ? tab : end) - text));
    if (!tab) return OK;
    const char *answer = tab + 1, *next = memchr(answer, '\t', (size_t)(end - answer));
    out->answer = trim(answer, (size_t)((next ? next : end) - answer));
    if (next) out->support = trim(next + 1, (size_t)(end - next - 1));
    return OK;
}

Status story_open(StoryParser *p, Arena *run)
{
    static const TextSettings settings = {.normalise = UTF16_NFC,
                                          .words = TEXT_WORDS_SPACE,
                                          .sentences = TEXT_SENTENCES_LINE,
                                          .numbers = TEXT_NUMBERS_KEEP,
                                          .lowercase = true,
                                          .punctuation = true};
    *p = (StoryParser){0};
    return text_open(&p->words, run, &settings);
}

void story_close(StoryParser *p)
{
    text_close(p->words);
    p->words = NULL;
    buffer_close(&p->text);
    buffer_close(&p->ids);
    buffer_close(&p->support);
}

/* Without the mark at the end. */
static Word bare(Word text)
{
    if (text.size > 0 && (text.text[text.size - 1] == '.' || text.text[text.size - 1] == '?')) text.size--;
    return trim(text.text, text.size);
}

static Status add_sentence(StoryParser *p, const StoryLine *line, const char *file, int64_t number)
{
    const Word text = bare(line->text);
    REQUIRE(text_has_words(p->words, text.text, text.size), ERR_DATA, "%s:%" PRId64 ": a sentence without words", file,
            number);
    REQUIRE(line->text.text[line->text.size - 1] != '?', ERR_DATA,
            "%s:%" PRId64 ": the question has no tab and answer behind it: \"%.*s\"", file, number,
            shown(line->text.size), line->text.text);
    const int64_t n = (int64_t)(p->ids.size / sizeof(int64_t));
    const int64_t last = n > 0 ? ((const int64_t *)(const void *)p->ids.data)[n - 1] : -1;
    REQUIRE(line->id > last, ERR_DATA, "%s:%" PRId64 ": number %" PRId64 " follows %" PRId64 " within a story", file,
            number, line->id, last);
    TRY(buffer_append(&p->text, text.text, text.size));
    TRY(buffer_append(&p->text, "\n", 1));
    return buffer_append(&p->ids, &line->id, sizeof line->id);
}

/* The place of a sentence among those of the story, or -1. */
static int32_t sentence_of(const StoryParser *p, int64_t id)
{
    const int64_t *ids = (const int64_t *)(const void *)p->ids.data;
    int64_t low = 0, high = (int64_t)(p->ids.size / sizeof *ids);
    const int64_t n = high;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && ids[low] == id ? (int32_t)low : -1;
}

static Status put_support(StoryParser *p, Word text, const char *file, int64_t number, Arena *scratch,
                          ExampleField *out)
{
    p->support.size = 0;
    for (size_t at = 0; at < text.size;) {
        if (is_space(text.text[at])) {
            at++;
            continue;
        }
        const int64_t id = number_at(text.text, text.size, &at);
        REQUIRE(id >= 0 && (at == text.size || is_space(text.text[at])), ERR_DATA,
                "%s:%" PRId64 ": numbers of supporting sentences were expected behind the answer: \"%.*s\"", file,
                number, shown(text.size), text.text);
        const int32_t sentence = sentence_of(p, id);
        REQUIRE(sentence >= 0, ERR_DATA,
                "%s:%" PRId64 ": the supporting sentence %" PRId64 " is not one of the story before the question", file,
                number, id);
        TRY(buffer_append(&p->support, &sentence, sizeof sentence));
    }
    return example_numbers(out, scratch, (int64_t)(p->support.size / sizeof(int32_t)),
                           (const int32_t *)(const void *)p->support.data);
}

/* Several words, such as "the park", are one answer too. */
static Status put_answer(StoryParser *p, Word text, Arena *scratch, ExampleField *out)
{
    TextWords words;
    TRY(text_split(p->words, text.text, text.size, scratch, &words));
    p->support.size = 0;
    for (int64_t i = 0; i < words.words; i++) {
        if (i) TRY(buffer_append(&p->support, " ", 1));
        TRY(buffer_append(&p->support, words.word[i].text, words.word[i].size));
    }
    return example_word(out, scratch, p->support.data, p->support.size);
}

static Status put_fields(StoryParser *p, const StoryLine *q, const Record *r, int64_t number, int32_t task,
                         bool answered, Arena *scratch, Example *out)
{
    TextWords words;
    const Word question = bare(q->text);
    REQUIRE(p->ids.size > 0, ERR_DATA, "%s:%" PRId64 ": a story without sentences before its question", r->file,
            number);
    REQUIRE(text_has_words(p->words, question.text, question.size), ERR_DATA,
            "%s:%" PRId64 ": a question without words", r->file, number);
    TRY(text_split(p->words, p->text.data, p->text.size, scratch, &words));
    TRY(example_sentences(&out->field[STORY_STORY], scratch, &words));
    TRY(text_split(p->words, question.text, question.size, scratch, &words));
    TRY(example_words(&out->field[STORY_QUESTION], scratch, &words));
    if (!answered) return OK;
    TRY(example_number(&out->field[STORY_TASK], scratch, task));
    REQUIRE(text_has_words(p->words, q->answer.text, q->answer.size), ERR_DATA,
            "%s:%" PRId64 ": the question has no answer", r->file, number);
    TRY(put_support(p, q->support, r->file, number, scratch, &out->field[STORY_SUPPORT]));
    return put_answer(p, q->answer, scratch, &out->field[STORY_ANSWER]);
}

Status story_parse(StoryParser *p, const Record *r, int32_t task, bool answered, Arena *scratch, Example *out)
{
    TRY(text_require(r->text, r->size, r->file, r->line));
    *out = (Example){0};
    p->text.size = p->ids.size = 0;
    StoryLine line = {0};
    const char *at = r->text, *end = at + r->size;
    for (int64_t number = r->line; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t size = (size_t)((stop ? stop : end) - at);
        const bool last = !stop || stop + 1 == end;
        if (trim(at, size).size > 0) {
            TRY(story_line(at, size, r->file, number, &line));
            if (last && (line.question || !answered))
                return put_fields(p, &line, r, number, task, answered, scratch, out);
            if (!line.question) TRY(add_sentence(p, &line, r->file, number));
        }
        at += size + 1;
    }
    FAIL(ERR_DATA, "%s:%" PRId64 ": the story ends without a question", r->file, r->line);
}
