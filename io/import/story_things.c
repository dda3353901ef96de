/* story_things.c - what a person holds: how many things, and which. */
#include <stdio.h>
#include <string.h>

#include "io/import/story_tasks.h"

typedef struct Hands {
    int n[WORLD_PEOPLE]; /* sentences that concern the person's hands */
    int sentence[WORLD_PEOPLE][WORLD_SENTENCES];
} Hands;

static void note(Hands *h, int person, int sentence) { h->sentence[person][h->n[person]++] = sentence; }

static Status hand_over(World *w, Hands *h, int thing)
{
    const int from = w->holder[thing], to = (from + 1 + world_below(w, w->people - 1)) % w->people;
    note(h, from, w->sentences);
    note(h, to, w->sentences);
    w->holder[thing] = to;
    return world_say(w, "%s handed the %s to %s", world_person(from), world_thing(thing), world_person(to));
}

static Status act(World *w, Hands *h)
{
    const int held = world_pick(w, w->things, world_is_held), free_thing = world_pick(w, w->things, world_is_free);
    const int who = world_below(w, w->people);
    if (free_thing >= 0 && (held < 0 || world_chance(w, 60))) {
        note(h, who, w->sentences);
        return world_take(w, who, free_thing);
    }
    if (world_chance(w, 30)) return hand_over(w, h, held);
    note(h, w->holder[held], w->sentences);
    return world_put(w, held);
}

/* The story, then a person of whose hands it tells. */
static Status tell(World *w, Hands *h, int *who)
{
    for (int i = world_length(w, 1); i > 0; i--) TRY(act(w, h));
    int count = 0;
    for (int p = 0; p < w->people; p++) count += h->n[p] > 0;
    int k = world_below(w, count);
    for (*who = 0; h->n[*who] == 0 || k-- > 0;) ++*who;
    return OK;
}

static Status counting(World *w)
{
    static const char *const numbers[WORLD_THINGS + 1] = {"none", "one", "two", "three", "four"};
    Hands h = {0};
    int who, n = 0;
    TRY(tell(w, &h, &who));
    for (int t = 0; t < w->things; t++) n += w->holder[t] == who;
    return world_ask(w, numbers[n], h.n[who], h.sentence[who], "How many things does %s hold", world_person(who));
}

static Status lists(World *w)
{
    Hands h = {0};
    int who;
    char answer[WORLD_THINGS * 16] = "";
    TRY(tell(w, &h, &who));
    for (int t = 0; t < w->things; t++) {
        if (w->holder[t] != who) continue;
        const size_t used = strlen(answer);
        snprintf(answer + used, sizeof answer - used, "%s%s", used ? "," : "", world_thing(t));
    }
    return world_ask(w, answer[0] ? answer : "nothing", h.n[who], h.sentence[who], "What does %s hold",
                     world_person(who));
}

const StoryTask story_counting = {"counting", "How many things does a person hold?", counting};
const StoryTask story_lists = {"lists", "Which things does a person hold? In the order of the alphabet.", lists};
