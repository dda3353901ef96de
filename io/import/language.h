/* language.h - a small language with a grammar, and its translation into another, word links known.
 *
 * A sentence is drawn as phrases (language_draw), said in the source (language_say), then translated by rules
 * (language_translate). The words and what they become are tables in language_words.c; the target's grammar:
 *   order        adverb, subject, place, object, verb: the verb ends the clause; a preposition follows its phrase
 *   noun phrase  "the" agrees with noun and number; "this" comes last; adjectives follow the noun, the nearest first
 *   agreement    an adjective takes the noun's gender and number, a verb the number of its subject
 *   choice       some adjectives and verbs depend on whether the noun, or the subject, is alive
 *   several      nouns, adverbs and others of two or three words; "looks at" is one
 *   additions    a plural word after the noun, a mark after the object; "did" becomes a word after the verb
 *   omissions    "a", "does", "do" and the pronouns have no word */
#ifndef IO_IMPORT_LANGUAGE_H
#define IO_IMPORT_LANGUAGE_H
#include "io/import/generator.h"

typedef struct LanguageNoun {
    const char *one, *many, *target; /* target: its words, parted by a space */
    int gender;                      /* of language_genders */
    bool alive;
} LanguageNoun;

typedef struct LanguageAdjective {
    const char *source, *alive, *other; /* stems; an ending follows */
} LanguageAdjective;

typedef struct LanguageVerb {
    const char *base, *third, *particle; /* particle "" or the word after the verb */
    const char *alive, *other;           /* stems; an ending follows */
    bool transitive;
} LanguageVerb;

typedef struct LanguagePronoun {
    const char *source;
    bool alive, many;
} LanguagePronoun;

typedef struct LanguageDeterminer {
    const char *source, *target; /* target "": none; "*": agrees */
    bool one, many;              /* goes with */
    bool last;                   /* stands after the phrase */
} LanguageDeterminer;

typedef struct LanguagePlain {
    const char *source, *target;
} LanguagePlain;

typedef struct LanguageGender {
    const char *article, *articles, *ending, *endings; /* "the", "the" of several; of an adjective, of several */
} LanguageGender;

enum {
    LANGUAGE_NOUNS = 24,
    LANGUAGE_ADJECTIVES = 12,
    LANGUAGE_VERBS = 16,
    LANGUAGE_PRONOUNS = 4,
    LANGUAGE_DETERMINERS = 6,
    LANGUAGE_PREPOSITIONS = 5,
    LANGUAGE_ADVERBS = 6,
    LANGUAGE_JOINERS = 3,
    LANGUAGE_GENDERS = 3
};
extern const LanguageNoun language_nouns[LANGUAGE_NOUNS];
extern const LanguageAdjective language_adjectives[LANGUAGE_ADJECTIVES];
extern const LanguageVerb language_verbs[LANGUAGE_VERBS];
extern const LanguagePronoun language_pronouns[LANGUAGE_PRONOUNS];
extern const LanguageDeterminer language_determiners[LANGUAGE_DETERMINERS];
extern const LanguagePlain language_prepositions[LANGUAGE_PREPOSITIONS];
extern const LanguagePlain language_adverbs[LANGUAGE_ADVERBS];
extern const LanguagePlain language_joiners[LANGUAGE_JOINERS]; /* between clauses */
extern const LanguageGender language_genders[LANGUAGE_GENDERS];

enum { LANGUAGE_CLAUSES = 64, LANGUAGE_WORDS = 200, LANGUAGE_PHRASE_ADJECTIVES = 2 };

/* Pointers into the tables; NULL: not there. at_...: the source word, from 0, once it is said. */
typedef struct LanguagePhrase {
    const LanguagePronoun *pronoun; /* then nothing else */
    const LanguageDeterminer *determiner;
    const LanguageAdjective *adjective[LANGUAGE_PHRASE_ADJECTIVES];
    const LanguageNoun *noun;
    bool many;
    int adjectives, at_head, at_determiner, at_adjective[LANGUAGE_PHRASE_ADJECTIVES]; /* head: noun or pronoun */
} LanguagePhrase;

typedef struct LanguageClause {
    const LanguagePlain *joiner, *preposition, *adverb; /* the first clause has no joiner */
    const LanguageVerb *verb;
    bool past, negated, has_object; /* a place is there with a preposition */
    LanguagePhrase subject, object, place;
    int at_joiner, at_preposition, at_adverb, at_verb, at_particle, at_did, at_not;
} LanguageClause;

typedef struct LanguageSentence {
    int clauses;
    LanguageClause clause[LANGUAGE_CLAUSES];
} LanguageSentence;

/* Words and, for a target, the source words that each belongs to. */
typedef struct LanguageText {
    Arena *scratch;
    int64_t words;
    Word word[LANGUAGE_WORDS * 3];
    int64_t links;
    struct {
        int32_t source, target;
        bool sure;
    } link[LANGUAGE_WORDS * 6];
} LanguageText;

NODISCARD Status language_put(LanguageText *t, const char *word, const char *ending); /* a copy */
void language_draw_clause(LanguageClause *c, Draws *d, bool first);
NODISCARD Status language_say(LanguageClause *c, LanguageText *source); /* fills in at_... */
NODISCARD Status language_translate(const LanguageClause *c, LanguageText *target);

#endif
