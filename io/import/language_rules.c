/* language_rules.c - the rules by which a clause is translated. A word is linked surely to the source word that it
 * stands for, possibly to the one that it only agrees with or marks. */
#include <string.h>

#include "io/import/language.h"

/* The target word last put belongs to source word `at`. */
static Status link_to(LanguageText *t, int at, bool sure)
{
    REQUIRE(t->links < COUNT(t->link), ERR_INTERNAL, "a sentence of more than %d links", COUNT(t->link));
    t->link[t->links].source = at;
    t->link[t->links].target = (int32_t)t->words - 1;
    t->link[t->links++].sure = sure;
    return OK;
}

static Status put(LanguageText *t, const char *stem, const char *ending, int at, bool sure)
{
    TRY(language_put(t, stem, ending));
    return link_to(t, at, sure);
}

/* The words of a phrase, all of one source word. */
static Status put_words(LanguageText *t, const char *words, int at)
{
    while (*words) {
        const size_t size = strcspn(words, " ");
        char *word;
        TRY_NEW(word, t->scratch, (int64_t)size + 1);
        memcpy(word, words, size);
        TRY(put(t, word, "", at, true));
        words += size + (words[size] == ' ');
    }
    return OK;
}

static Status put_determiner(LanguageText *t, const LanguagePhrase *p)
{
    const LanguageGender *g = &language_genders[p->noun->gender];
    if (strcmp(p->determiner->target, "*") != 0) return put_words(t, p->determiner->target, p->at_determiner);
    TRY(put(t, p->many ? g->articles : g->article, "", p->at_determiner, true));
    return link_to(t, p->at_head, false);
}

static Status put_phrase(LanguageText *t, const LanguagePhrase *p)
{
    if (p->pronoun) return OK;
    const LanguageGender *g = &language_genders[p->noun->gender];
    if (!p->determiner->last) TRY(put_determiner(t, p));
    TRY(put_words(t, p->noun->target, p->at_head));
    if (p->many) TRY(put(t, "pe", "", p->at_head, true));
    for (int i = p->adjectives; i-- > 0;) {
        const LanguageAdjective *a = p->adjective[i];
        TRY(put(t, p->noun->alive ? a->alive : a->other, p->many ? g->endings : g->ending, p->at_adjective[i], true));
        TRY(link_to(t, p->at_head, false));
    }
    return p->determiner->last ? put_determiner(t, p) : OK;
}

static Status put_verb(LanguageText *t, const LanguageClause *c)
{
    const LanguagePhrase *s = &c->subject;
    const bool alive = s->pronoun ? s->pronoun->alive : s->noun->alive;
    if (c->negated) TRY(put(t, "ni", "", c->at_not, true));
    TRY(put(t, alive ? c->verb->alive : c->verb->other, s->many ? "an" : "it", c->at_verb, true));
    if (*c->verb->particle) TRY(link_to(t, c->at_particle, true));
    TRY(link_to(t, s->at_head, false));
    return c->past ? put(t, "ta", "", c->at_did, true) : OK;
}

Status language_translate(const LanguageClause *c, LanguageText *t)
{
    if (c->joiner) TRY(put_words(t, c->joiner->target, c->at_joiner));
    if (c->adverb) TRY(put_words(t, c->adverb->target, c->at_adverb));
    TRY(put_phrase(t, &c->subject));
    if (c->preposition) {
        TRY(put_phrase(t, &c->place));
        TRY(put_words(t, c->preposition->target, c->at_preposition));
    }
    if (c->has_object) {
        TRY(put_phrase(t, &c->object));
        TRY(put(t, "ob", "", c->object.at_head, false));
    }
    return put_verb(t, c);
}
