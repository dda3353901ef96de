/* story_relations.c - statements that deny, and places that lie north, south, east or west of each other. */
#include <stdio.h>

#include "io/import/story_tasks.h"

/* moved: the last sentence about the person; place: the place it names. */
static Status negation(World *w)
{
    bool denied[WORLD_PEOPLE] = {false};
    for (int i = world_length(w, 1); i > 0; i--) {
        const int who = world_below(w, w->people);
        denied[who] = world_chance(w, 30);
        w->place[who] = world_below(w, w->places);
        w->moved[who] = w->sentences;
        TRY(world_say(w, "%s is %s the %s", world_person(who), denied[who] ? "not at" : "at",
                      world_place(w->place[who])));
    }
    const int who = world_pick(w, w->people, world_is_placed), at = w->place[who];
    const bool same = denied[who] || world_chance(w, 65);
    const int asked = same ? at : (at + 1 + world_below(w, w->places - 1)) % w->places;
    return world_ask(w, same && !denied[who] ? "yes" : "no", 1, &w->moved[who], "Is %s at the %s", world_person(who),
                     world_place(asked));
}

enum { NORTH, EAST, SOUTH, WEST };
static const char *const directions[] = {"north", "east", "south", "west"};

typedef struct Walk {
    int n, place[WORLD_PLACES]; /* places in the order of the walk */
    int way[WORLD_PLACES];      /* direction from place i to place i + 1 */
    int told[WORLD_PLACES];     /* sentence that tells of it */
} Walk;

/* A walk over a grid that never comes to a point twice; where it is caught, it ends. */
static void wander(World *w, Walk *walk, int wanted)
{
    static const int step_x[] = {0, 1, 0, -1}, step_y[] = {1, 0, -1, 0};
    int x[WORLD_PLACES] = {0}, y[WORLD_PLACES] = {0}, order[WORLD_PLACES];
    for (int i = 0; i < WORLD_PLACES; i++) order[i] = i;
    for (int i = w->places - 1; i > 0; i--) { /* Fisher and Yates */
        const int j = world_below(w, i + 1), keep = order[i];
        order[i] = order[j];
        order[j] = keep;
    }
    walk->n = 1;
    walk->place[0] = order[0];
    while (walk->n < wanted) {
        const int i = walk->n - 1, first = world_below(w, 4);
        int way = -1;
        for (int k = 0; k < 4 && way < 0; k++) {
            const int d = (first + k) % 4, nx = x[i] + step_x[d], ny = y[i] + step_y[d];
            bool free_point = true;
            for (int j = 0; j <= i; j++) free_point = free_point && (x[j] != nx || y[j] != ny);
            if (!free_point) continue;
            way = d;
            x[i + 1] = nx;
            y[i + 1] = ny;
        }
        if (way < 0) return;
        walk->way[i] = way;
        walk->place[walk->n++] = order[i + 1];
    }
}

/* The steps in any order, each seen from one of its two ends. */
static Status tell_walk(World *w, Walk *walk)
{
    bool told[WORLD_PLACES] = {false};
    for (int left = walk->n - 1; left > 0; left--) {
        int i = 0;
        for (int k = world_below(w, left); told[i] || k-- > 0;) i++;
        told[i] = true;
        walk->told[i] = w->sentences;
        const bool forward = world_chance(w, 50);
        const int a = walk->place[forward ? i + 1 : i], b = walk->place[forward ? i : i + 1];
        TRY(world_say(w, "The %s is %s of the %s", world_place(a), directions[(walk->way[i] + (forward ? 0 : 2)) % 4],
                      world_place(b)));
    }
    return OK;
}

static Status ways(World *w)
{
    Walk walk = {0};
    int n = world_length(w, 2);
    if (n > w->places - 1) n = w->places - 1;
    wander(w, &walk, n + 1);
    TRY(tell_walk(w, &walk));
    const int steps = walk.n > 2 && world_chance(w, 50) ? 2 : 1, from = world_below(w, walk.n - steps);
    const bool back = world_chance(w, 50);
    char answer[32] = "";
    int support[2], used = 0;
    for (int k = 0; k < steps; k++) {
        const int i = back ? from + steps - 1 - k : from + k;
        support[k] = walk.told[i];
        used += snprintf(answer + used, sizeof answer - (size_t)used, "%s%s", k ? "," : "",
                         directions[(walk.way[i] + (back ? 2 : 0)) % 4]);
    }
    return world_ask(w, answer, steps, support, "Which way leads from the %s to the %s",
                     world_place(walk.place[back ? from + steps : from]),
                     world_place(walk.place[back ? from : from + steps]));
}

const StoryTask story_negation = {"negation", "Is a person at a place, when the story also says where not?", negation};
const StoryTask story_directions = {"directions", "Which way leads from a place to another, over one or two steps?",
                                    ways};
