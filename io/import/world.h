/* world.h - the small world of the generated stories: who is where and holds what, told sentence by sentence.
 *
 * A task tells a story with world_move and the like, or with world_say, and ends with one world_ask. All choices come
 * from world_below, so that a story depends on its key alone. */
#ifndef IO_IMPORT_WORLD_H
#define IO_IMPORT_WORLD_H
#include "comm/arena.h"
#include "comm/random.h"

enum { WORLD_PEOPLE = 6, WORLD_PLACES = 6, WORLD_THINGS = 4, WORLD_SENTENCES = 60, WORLD_NAME = 64 };

/* A thing came to a place: it was there first, or someone carried it. Sentences count from 0. */
typedef struct WorldVisit {
    int place;
    int taken, left,
        came; /* sentences: the carrier took it, went to the place before, and came here; -1: not carried */
} WorldVisit;

typedef struct World {
    RandomKey key;
    uint64_t drawn;
    Buffer *text;
    int people, places, things; /* how many there are in this story */
    int min_sentences, max_sentences;
    int sentences;                                 /* told so far */
    int place[WORLD_PEOPLE], moved[WORLD_PEOPLE];  /* where, -1: not known; by which sentence */
    int holder[WORLD_THINGS], taken[WORLD_THINGS]; /* who, -1: nobody; by which sentence */
    int lies[WORLD_THINGS];                        /* where it was put down, -1: not known */
    int visits[WORLD_THINGS];
    WorldVisit visit[WORLD_THINGS][WORLD_SENTENCES];
} World;

typedef struct StoryTask {
    const char *name, *help;
    Status (*tell)(World *w);
} StoryTask;

const char *world_person(int i);
const char *world_place(int i);
const char *world_thing(int i); /* in the order of the alphabet */

void world_begin(World *w, RandomKey key, Buffer *text);
int world_below(World *w, int n); /* 0 <= result < n */
bool world_chance(World *w, int percent);
int world_length(World *w, int least); /* sentences of the story, within the settings and at least so many */
int world_pick(World *w, int n, bool (*fits)(const World *w, int i)); /* one of those that fit, or -1 */

NODISCARD Status world_say(World *w, const char *format, ...) PRINTF_LIKE(2, 3);
NODISCARD Status world_ask(World *w, const char *answer, int n_support, const int *support, const char *format, ...)
    PRINTF_LIKE(5, 6);

NODISCARD Status world_move(World *w, int person); /* to another place than now */
NODISCARD Status world_take(World *w, int person, int thing);
NODISCARD Status world_put(World *w, int thing); /* whoever holds it puts it down */

bool world_is_placed(const World *w, int person);
bool world_is_held(const World *w, int thing);
bool world_is_free(const World *w, int thing);

#endif
