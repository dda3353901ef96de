/* field.h - what a field of the examples is: one description for importers, the index of a corpus, loader and batch.
 *
 * Code asks for a field by its role; its name is for files, messages and people. Fields that belong to another one
 * (spelling, marks, gold) name it in `of`; of any other role an example has at most one field. */
#ifndef IO_BATCH_FIELD_H
#define IO_BATCH_FIELD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_SIZE = 32, RAGGED_LEVELS = 3, BATCH_FIELDS = 12 };

typedef enum Role {
    ROLE_NONE,       /* no field has it: not said */
    ROLE_INPUT,      /* what is read */
    ROLE_SECOND,     /* another input beside it */
    ROLE_QUERY,      /* a question about the input */
    ROLE_FEATURES,   /* rows of numbers that are read: regions of a picture */
    ROLE_KEYS,       /* one side of a memory whose sides differ, */
    ROLE_VALUES,     /* and the other */
    ROLE_SPELLING,   /* the characters of the words of another field: one level more than it has */
    ROLE_MARKS,      /* one id or number for each position of another field */
    ROLE_CANDIDATES, /* what may be answered, where that differs by example */
    ROLE_TARGET,     /* what is predicted */
    ROLE_GOLD,       /* what people know of where to look: numbers of units of another field, from 0 */
    ROLE_GROUP,      /* what measures are split by */
    ROLES
} Role;

typedef enum FieldType { FIELD_IDS, FIELD_FLOATS } FieldType;

typedef struct DataField {
    char name[NAME_SIZE];
    Role role;
    char of[NAME_SIZE];    /* name of the field that this one belongs to; "" for roles that stand alone */
    int levels;            /* see batch.h */
    FieldType type;        /* of the values */
    int64_t width;         /* floats: numbers of each unit of the last level, at least 1; ids: 0 */
    char vocab[NAME_SIZE]; /* the vocabulary whose ids these are, "" for plain numbers */
    bool special;          /* the vocabulary has the special ids <pad> <unk> <s> </s>, and rare words become <unk> */
    bool closed;           /* only train may add to the vocabulary: a value not seen there is a fault ("labels") */
    /* gold alone: */
    int unit;      /* its numbers count units of this level of the field `of`, each example from 0 */
    bool links;    /* two numbers a link: that unit, and a word of the target (before any subwords) */
    bool possible; /* what may hold, the sure ones too; otherwise what surely holds */
} DataField;

const char *field_role_name(Role role); /* "input" */
Role field_role_find(const char *name); /* ROLE_NONE when there is none */
bool field_has_of(Role role);           /* belongs to another field */
/* Bytes of the values of one unit of the last level. */
size_t field_bytes(const DataField *f);
/* The caps of each level of f, one of the n fields: how many units of level l + 1 are kept of one of level l, the first
 * ones; 0: all. A text has sentences of words, or is one sentence; spelling and marks are cut as the words that they
 * belong to, and plain numbers are a list that is not cut. */
void field_caps(int n, const DataField *fields, const DataField *f, int64_t sentences, int64_t words,
                int64_t cap[RAGGED_LEVELS]);
/* Whether the fields go together: NULL, or what is wrong with one of them, *which. */
const char *field_fault(int n, const DataField *fields, int *which);
/* Place of the field with that name, that role, or that role and belonging to the one of role `of`; -1: there is none.
 */
int field_named(int n, const DataField *fields, const char *name);
int field_role(int n, const DataField *fields, Role role);
int field_role_of(int n, const DataField *fields, Role role, Role of);

#endif
