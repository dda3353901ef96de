/* language_draw.c - draws a clause, and says it in the source language. */
#include "io/import/language.h"

#include <string.h>

#define PICK(d, list) (&(list)[generator_below((d), COUNT(list))])

static void draw_phrase(LanguagePhrase *p, Draws *d, bool pronoun)
{
    *p = (LanguagePhrase){0};
    if (pronoun && generator_chance(d, 20)) {
        p->pronoun = PICK(d, language_pronouns);
        p->many = p->pronoun->many;
        return;
    }
    p->noun = PICK(d, language_nouns);
    p->many = generator_chance(d, 35);
    do p->determiner = PICK(d, language_determiners);
    while (!(p->many ? p->determiner->many : p->determiner->one));
    p->adjectives = generator_chance(d, 50) ? 0 : generator_chance(d, 70) ? 1 : 2;
    for (int i = 0; i < p->adjectives; i++) p->adjective[i] = PICK(d, language_adjectives);
}

void language_draw_clause(LanguageClause *c, Draws *d, bool first)
{
    *c = (LanguageClause){0};
    if (!first) c->joiner = PICK(d, language_joiners);
    c->verb = PICK(d, language_verbs);
    c->past = generator_chance(d, 30);
    c->negated = generator_chance(d, 20);
    draw_phrase(&c->subject, d, true);
    c->has_object = c->verb->transitive;
    if (c->has_object) draw_phrase(&c->object, d, false);
    if (generator_chance(d, 25)) c->preposition = PICK(d, language_prepositions);
    if (c->preposition) draw_phrase(&c->place, d, false);
    if (generator_chance(d, 30)) c->adverb = PICK(d, language_adverbs);
}

Status language_put(LanguageText *t, const char *word, const char *ending)
{
    REQUIRE(t->words < COUNT(t->word), ERR_INTERNAL, "a sentence of more than %d words", COUNT(t->word));
    const char *text = arena_format(t->scratch, "%s%s", word, ending);
    if (!text) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    t->word[t->words++] = (Word){text, strlen(text)};
    return OK;
}

static Status say(LanguageText *t, const char *word, int *at)
{
    *at = (int)t->words;
    return language_put(t, word, "");
}

static Status say_phrase(LanguagePhrase *p, LanguageText *t)
{
    if (p->pronoun) return say(t, p->pronoun->source, &p->at_head);
    TRY(say(t, p->determiner->source, &p->at_determiner));
    for (int i = 0; i < p->adjectives; i++) TRY(say(t, p->adjective[i]->source, &p->at_adjective[i]));
    return say(t, p->many ? p->noun->many : p->noun->one, &p->at_head);
}

/* sees, see; did see; does not see, do not see, did not see; looks at */
static Status say_verb(LanguageClause *c, LanguageText *t)
{
    const bool many = c->subject.many;
    if (c->past)
        TRY(say(t, "did", &c->at_did));
    else if (c->negated)
        TRY(language_put(t, many ? "do" : "does", ""));
    if (c->negated) TRY(say(t, "not", &c->at_not));
    TRY(say(t, c->past || c->negated || many ? c->verb->base : c->verb->third, &c->at_verb));
    return *c->verb->particle ? say(t, c->verb->particle, &c->at_particle) : OK;
}

Status language_say(LanguageClause *c, LanguageText *t)
{
    if (c->joiner) TRY(say(t, c->joiner->source, &c->at_joiner));
    TRY(say_phrase(&c->subject, t));
    TRY(say_verb(c, t));
    if (c->has_object) TRY(say_phrase(&c->object, t));
    if (c->preposition) {
        TRY(say(t, c->preposition->source, &c->at_preposition));
        TRY(say_phrase(&c->place, t));
    }
    return c->adverb ? say(t, c->adverb->source, &c->at_adverb) : OK;
}
