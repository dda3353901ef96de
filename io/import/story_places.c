/* story_places.c - where people and the things they carry are: one, two and three supporting facts, yes or no. */
#include "io/import/story_tasks.h"

static Status tell_moves(World *w)
{
    for (int i = world_length(w, 1); i > 0; i--) TRY(world_move(w, world_below(w, w->people)));
    return OK;
}

static Status one_fact(World *w)
{
    TRY(tell_moves(w));
    const int who = world_pick(w, w->people, world_is_placed);
    return world_ask(w, world_place(w->place[who]), 1, &w->moved[who], "Where is %s", world_person(who));
}

static Status yes_no(World *w)
{
    TRY(tell_moves(w));
    const int who = world_pick(w, w->people, world_is_placed), at = w->place[who];
    const bool yes = world_chance(w, 50);
    const int asked = yes ? at : (at + 1 + world_below(w, w->places - 1)) % w->places;
    return world_ask(w, yes ? "yes" : "no", 1, &w->moved[who], "Is %s at the %s", world_person(who),
                     world_place(asked));
}

/* Things stay with who took them, so that the thing leads to its holder and the holder to the place. */
static Status two_facts(World *w)
{
    const int n = world_length(w, 2);
    bool any = false;
    for (int i = 0; i < n; i++) {
        const int who = world_pick(w, w->people, world_is_placed), what = world_pick(w, w->things, world_is_free);
        const bool take = who >= 0 && what >= 0 && (world_chance(w, 35) || (!any && i == n - 1));
        TRY(take ? world_take(w, who, what) : world_move(w, world_below(w, w->people)));
        any = any || take;
    }
    const int what = world_pick(w, w->things, world_is_held), who = w->holder[what];
    const int support[] = {w->taken[what], w->moved[who]};
    return world_ask(w, world_place(w->place[who]), 2, support, "Where is the %s", world_thing(what));
}

static bool has_travelled(const World *w, int thing) { return w->visits[thing] >= 2; }

/* A free thing can be taken where it lies, or anywhere while nobody knows where it is. */
static int takeable_at(World *w, int place)
{
    const int first = world_below(w, w->things);
    for (int i = 0; i < w->things; i++) {
        const int t = (first + i) % w->things;
        if (world_is_free(w, t) && (w->lies[t] < 0 || w->lies[t] == place)) return t;
    }
    return -1;
}

/* Move, take or put down; hurry: nothing has been carried anywhere yet, and the end is near. What was not carried yet
 * is not put down: so three acts in a hurry always do. */
static Status act(World *w, bool hurry)
{
    const int held = world_pick(w, w->things, world_is_held), who = world_pick(w, w->people, world_is_placed);
    const int free_thing = who >= 0 ? takeable_at(w, w->place[who]) : -1;
    if (hurry && held >= 0) return world_move(w, w->holder[held]);
    if (who >= 0 && free_thing >= 0 && (hurry || world_chance(w, 35))) return world_take(w, who, free_thing);
    if (held >= 0 && has_travelled(w, held) && world_chance(w, 30)) return world_put(w, held);
    return world_move(w, held >= 0 && world_chance(w, 50) ? w->holder[held] : world_below(w, w->people));
}

/* "before the museum": before it came there for the last time. */
static Status three_facts(World *w)
{
    const int n = world_length(w, 3);
    for (int i = 0; i < n; i++) TRY(act(w, i >= n - 3 && world_pick(w, w->things, has_travelled) < 0));
    const int what = world_pick(w, w->things, has_travelled), last = w->visits[what] - 1;
    int at = 1 + world_below(w, last);
    for (int i = at + 1; i <= last; i++)
        if (w->visit[what][i].place == w->visit[what][at].place) at = i;
    const WorldVisit *v = &w->visit[what][at];
    const int support[] = {v->taken, v->left, v->came};
    return world_ask(w, world_place(v[-1].place), 3, support, "Where was the %s before the %s", world_thing(what),
                     world_place(v->place));
}

const StoryTask story_one_fact = {"one_fact", "Where is a person? The last move tells.", one_fact};
const StoryTask story_two_facts = {"two_facts", "Where is a thing? Who took it, and where is that person?", two_facts};
const StoryTask story_three_facts = {"three_facts", "Where was a carried thing before a place?", three_facts};
const StoryTask story_yes_no = {"yes_no", "Is a person at a place?", yes_no};
