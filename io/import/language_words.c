/* language_words.c - the words of the small language. */
#include "io/import/language.h"

const LanguageGender language_genders[LANGUAGE_GENDERS] = {
    {"la", "las", "a", "as"},
    {"lo", "los", "o", "os"},
    {"le", "les", "e", "es"},
};

/* one, many, target, gender, alive */
const LanguageNoun language_nouns[LANGUAGE_NOUNS] = {
    {"dog", "dogs", "kanu", 0, true},
    {"cat", "cats", "felin", 1, true},
    {"horse", "horses", "kaval", 2, true},
    {"bird", "birds", "avet", 0, true},
    {"farmer", "farmers", "tera homun", 1, true},
    {"sailor", "sailors", "mar homun", 2, true},
    {"teacher", "teachers", "magistrin", 0, true},
    {"doctor", "doctors", "sana magistrin", 1, true},
    {"girl", "girls", "pula", 2, true},
    {"boy", "boys", "pulo", 0, true},
    {"king", "kings", "rekso", 1, true},
    {"firefighter", "firefighters", "igna kontra homun", 2, true},
    {"house", "houses", "domo", 0, false},
    {"bridge", "bridges", "ponto", 1, false},
    {"river", "rivers", "fluvo", 2, false},
    {"train", "trains", "fer kar", 0, false},
    {"station", "stations", "fer domo", 1, false},
    {"machine", "machines", "makin", 2, false},
    {"lighthouse", "lighthouses", "mar luma turo", 0, false},
    {"book", "books", "livro", 1, false},
    {"garden", "gardens", "horto", 2, false},
    {"mountain", "mountains", "monto", 0, false},
    {"school", "schools", "skolo", 1, false},
    {"tower", "towers", "turo", 2, false},
};

/* The first four mean one thing of what lives and another of what does not. */
const LanguageAdjective language_adjectives[LANGUAGE_ADJECTIVES] = {
    {"old", "senil", "antik"}, {"bright", "sagak", "lumin"}, {"warm", "amik", "kalor"},  {"cold", "sever", "frig"},
    {"small", "pik", "pik"},   {"large", "gran", "gran"},    {"red", "rub", "rub"},      {"green", "verd", "verd"},
    {"slow", "lent", "lent"},  {"quiet", "silen", "silen"},  {"rich", "divit", "divit"}, {"tall", "alt", "alt"},
};

/* base, third person, particle, stem of a living subject, of another, transitive */
const LanguageVerb language_verbs[LANGUAGE_VERBS] = {
    {"see", "sees", "", "vid", "vid", true},         {"find", "finds", "", "trov", "trov", true},
    {"follow", "follows", "", "sekv", "sekv", true}, {"carry", "carries", "", "port", "port", true},
    {"hold", "holds", "", "ten", "kontin", true},    {"draw", "draws", "", "pikt", "tir", true},
    {"look", "looks", "at", "mir", "mir", true},     {"wait", "waits", "for", "atend", "atend", true},
    {"think", "thinks", "of", "pens", "pens", true}, {"sleep", "sleeps", "", "dorm", "dorm", false},
    {"run", "runs", "", "kur", "funk", false},       {"turn", "turns", "", "volt", "rot", false},
    {"sing", "sings", "", "kant", "kant", false},    {"fall", "falls", "", "kad", "kad", false},
    {"stand", "stands", "", "star", "star", false},  {"shine", "shines", "", "bril", "bril", false},
};

const LanguagePronoun language_pronouns[LANGUAGE_PRONOUNS] = {
    {"he", true, false},
    {"she", true, false},
    {"it", false, false},
    {"they", true, true},
};

const LanguageDeterminer language_determiners[LANGUAGE_DETERMINERS] = {
    {"the", "*", true, true, false},      {"a", "", true, false, false},     {"this", "ci", true, false, true},
    {"some", "kelk", false, true, false}, {"two", "du", false, true, false}, {"my", "de mi", true, true, true},
};

const LanguagePlain language_prepositions[LANGUAGE_PREPOSITIONS] = {
    {"in", "nel"}, {"behind", "da dorso"}, {"near", "apud"}, {"under", "sub"}, {"beside", "da latero"},
};

const LanguagePlain language_adverbs[LANGUAGE_ADVERBS] = {
    {"often", "ofte"},        {"never", "ne jam"},      {"today", "hodi"},
    {"quickly", "kon rapid"}, {"again", "un plu foja"}, {"there", "la loko"},
};

const LanguagePlain language_joiners[LANGUAGE_JOINERS] = {{"and", "e"}, {"but", "ma"}, {"while", "dum ke"}};
