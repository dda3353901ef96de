/* translate.c - lines are parsed in their order, decoded in the order of their lengths, and written in their order. */
#include "trainer/answer/translate.h"

#include <inttypes.h>
#include <string.h>

#include "io/text/vocab.h"
#include "trainer/evaluate/spelled.h"

enum { MOST_ROWS = 2048 }; /* hypotheses of a batch: fewer lines when the beam is wide, so that memory stays bounded */

static Status find_fields(Translate *t)
{
    const BuildRule *rule = &t->ask.rule;
    const ModelNeed *read = &t->s->model->need[0]; /* what is read: a text, or rows of numbers */
    t->source_field = field_role(rule->n_fields, rule->field, read->role);
    t->target_field = field_role(rule->n_fields, rule->field, ROLE_TARGET);
    REQUIRE(t->source_field >= 0 && read->levels == 1 && t->target_field >= 0, ERR_CONFIG,
            "model %s reads no single text: lines of text cannot be given to it", t->s->model->def->component.name);
    const DataField *source = &rule->field[t->source_field], *target = &rule->field[t->target_field];
    REQUIRE(source->type == FIELD_IDS || t->option.decode.unknown != DECODE_REPLACE, ERR_CONFIG,
            "decode.unknown is replace, but model %s reads no words that could stand for others",
            t->s->model->def->component.name);
    t->target = rule->vocab[t->target_field];
    REQUIRE(t->target, ERR_DATA, "%s: field %s has no vocabulary", corpus_folder(t->s->corpus), target->name);
    t->source_form = source->type == FIELD_IDS ? corpus_form(t->s->corpus, source->vocab) : NULL;
    t->target_form = corpus_form(t->s->corpus, target->vocab);
    t->detokenise = corpus_detokenise(t->s->corpus, target->vocab);
    return OK;
}

Status translate_open(Translate *t, Session *s, const TranslateOptions *o)
{
    *t = (Translate){.s = s, .option = *o};
    t->option.file = input_name(o->file);
    REQUIRE(s->model->def->generate, ERR_CONFIG, "model %s makes no sequences: there is nothing to decode",
            s->model->def->component.name);
    TRY(ask_open(&t->ask, s));
    TRY(find_fields(t));
    const char *given = o->score ? o->score : o->begin;
    if (given) TRY(linefile_read(&t->given, given, s->run));
    if (o->decode.dictionary[0]) TRY(replace_read(&t->replace, s->run, o->decode.dictionary));
    const int64_t most = MOST_ROWS / o->decode.beam;
    t->batch = o->decode.batch < most ? o->decode.batch : most > 0 ? most : 1;
    return OK;
}

void translate_close(Translate *t)
{
    ask_close(&t->ask);
    *t = (Translate){0};
}

/* Words that an output begins with must be words that the model knows. */
static Status check_begin(const Translate *t, const ExampleField *target, const char *file, int64_t number)
{
    for (int64_t i = 0; i < target->count[1]; i++) {
        const Word *w = &target->word[i];
        REQUIRE(vocab_id(t->target, w->text, w->size) != VOCAB_UNK, ERR_DATA,
                "%s:%" PRId64 ": an output cannot begin with %.*s, word %" PRId64
                ": it is not in the vocabulary of the target",
                file, number, (int)w->size, w->text, i + 1);
    }
    return OK;
}

static Status parse(Translate *t, const InputLine *line, Arena *arena, Example *out)
{
    const Record r = {.text = line->text, .size = line->size, .file = t->option.file, .line = line->number};
    const LineFile *given = t->given.name ? &t->given : NULL;
    REQUIRE(!given || line->number <= given->n, ERR_DATA,
            "%s has %" PRId64 " lines, but line %" PRId64 " of %s needs one more", given->name, given->n, line->number,
            t->option.file);
    const Word *own = given ? &given->line[line->number - 1] : NULL;
    const Record target = {.text = own ? own->text : NULL,
                           .size = own ? own->size : 0,
                           .file = own ? given->name : t->option.file,
                           .line = line->number};
    TRY(ask_parse(&t->ask, &r, own ? &target : NULL, arena, out));
    const int64_t words = out->field[t->source_field].count[1], most = t->option.decode.max_source;
    REQUIRE(most == 0 || words <= most, ERR_DATA, "%s:%" PRId64 ": %" PRId64 " %s, but decode.max_source is %" PRId64,
            r.file, r.line, words, t->ask.rule.field[t->source_field].type == FIELD_IDS ? "words" : "rows", most);
    return t->option.score ? OK : check_begin(t, &out->field[t->target_field], target.file, line->number);
}

/* The lines of one call. */
typedef struct Piece {
    int64_t n; /* that were parsed without a fault */
    const InputLine *line;
    Example *example;
    size_t *at, *size; /* of each line's answer in text */
    Buffer text;
} Piece;

static int64_t length_of(const Translate *t, const Piece *p, int64_t i)
{
    return p->example[i].field[t->source_field].count[1];
}

/* Lines with words, the longest first; of equal ones in their order (counting sort). */
static Status sort_lines(const Translate *t, const Piece *p, Arena *arena, int64_t *n, int64_t **order)
{
    int64_t longest = 0, *start;
    for (int64_t i = 0; i < p->n; i++) longest = length_of(t, p, i) > longest ? length_of(t, p, i) : longest;
    TRY_NEW(start, arena, longest + 2); /* [k]: how many lines are longer than longest - k */
    TRY_NEW(*order, arena, p->n);
    for (int64_t i = 0; i < p->n; i++) start[longest - length_of(t, p, i) + 1]++;
    for (int64_t k = 0; k <= longest; k++) start[k + 1] += start[k];
    *n = start[longest];
    for (int64_t i = 0; i < p->n; i++)
        if (length_of(t, p, i) > 0) (*order)[start[longest - length_of(t, p, i)]++] = i;
    return OK;
}

static Status given_words(const Batch *b, Arena *arena, GenerateWords **out)
{
    const Ragged *target = batch_role(b, ROLE_TARGET);
    TRY_NEW(*out, arena, b->B);
    for (int64_t i = 0; target && i < b->B; i++)
        (*out)[i] = (GenerateWords){target->offset[0][i + 1] - target->offset[0][i], target->id + target->offset[0][i]};
    return OK;
}

/* Rows of numbers in the place of words: what links count. */
static Status nameless(int64_t n, Arena *arena, const Word **out)
{
    Word *word;
    TRY_NEW(word, arena, n);
    for (int64_t i = 0; i < n; i++) word[i] = (Word){"", 0};
    *out = word;
    return OK;
}

/* Lines line[0 .. n) of the piece. */
static Status decode(Translate *t, Piece *p, int64_t n, const int64_t *line, Arena *arena)
{
    Example *example;
    int64_t *number;
    Batch b;
    const Word *word[BATCH_FIELDS];
    GenerateWords *given;
    DecodeOutput *out;
    const Word *const *spelled = NULL;
    TRY_NEW(example, arena, n);
    TRY_NEW(number, arena, n);
    for (int64_t i = 0; i < n; i++) {
        example[i] = p->example[line[i]];
        number[i] = p->line[line[i]].number; /* keys of draws */
    }
    TRY(ask_pack(&t->ask, (int)n, example, arena, &b, word));
    b.example = number;
    TRY(given_words(&b, arena, &given));
    const DecodeRequest r = {.batch = &b, .given = given, .whole = t->option.score != NULL, .seed = t->s->seed};
    TRY(decode_batch(t->s->model, &t->option.decode, &r, arena, &out));
    if (!t->option.score) TRY(spelled_words(t->s, &b, out, arena, &spelled));
    for (int64_t i = 0; i < n; i++) {
        const ExampleField *source = &example[i].field[t->source_field];
        const Word *read = source->word;
        if (!read) TRY(nameless(source->count[1], arena, &read));
        p->at[line[i]] = p->text.size;
        const TranslateLine l = {number[i], source->count[1], read, spelled ? spelled[i] : NULL};
        TRY(translate_write(t, &l, &out[i], &p->text));
        p->size[line[i]] = p->text.size - p->at[line[i]];
    }
    return OK;
}

static Status decode_all(Translate *t, Piece *p, Arena *arena)
{
    int64_t n = 0, *order = NULL;
    TRY(sort_lines(t, p, arena, &n, &order));
    for (int64_t i = 0; i < n; i += t->batch) {
        const ArenaMark mark = arena_mark(arena);
        TRY(decode(t, p, n - i < t->batch ? n - i : t->batch, order + i, arena));
        arena_release(arena, mark);
    }
    for (int64_t i = 0; i < p->n; i++) { /* those without words */
        if (length_of(t, p, i) > 0) continue;
        p->at[i] = p->text.size;
        TRY(translate_write(t, &(TranslateLine){.number = p->line[i].number}, &(DecodeOutput){0}, &p->text));
        p->size[i] = p->text.size - p->at[i];
    }
    return OK;
}

static Status answer(Translate *t, Piece *p, int64_t n, Buffer *out)
{
    Arena *arena = &t->s->step;
    arena_release(arena, (ArenaMark){0});
    TRY_NEW(p->example, arena, n);
    TRY_NEW(p->at, arena, n);
    TRY_NEW(p->size, arena, n);
    Status first = OK;
    while (p->n < n && first == OK) {
        first = parse(t, &p->line[p->n], arena, &p->example[p->n]);
        if (first == OK) p->n++;
    }
    const char *report = first == OK ? NULL : arena_text(arena, status_text());
    TRY(decode_all(t, p, arena));
    for (int64_t i = 0; i < p->n; i++) TRY(buffer_append(out, p->text.data + p->at[i], p->size[i]));
    t->counts.lines += p->n;
    return first == OK ? OK : report ? status_adopt(first, report) : ERR_HOST;
}

Status translate_lines(Translate *t, int64_t n, const InputLine *line, Buffer *out)
{
    Piece p = {.line = line};
    const Status st = answer(t, &p, n, out);
    buffer_close(&p.text);
    return st;
}

Status translate_finish(const Translate *t, int64_t lines)
{
    REQUIRE(!t->given.name || t->given.n <= lines, ERR_DATA,
            "%s has %" PRId64 " lines, but %s has %" PRId64 ": line %" PRId64 " belongs to none", t->given.name,
            t->given.n, t->option.file, lines, lines + 1);
    return OK;
}
