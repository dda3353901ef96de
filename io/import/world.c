/* world.c - names, choices, and the acts that several tasks tell of. */
#include "io/import/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const people[WORLD_PEOPLE] = {"Anna", "Omar", "Lena", "Tariq", "Yuki", "Pavel"};
static const char *const places[WORLD_PLACES] = {"harbour", "library", "market", "station", "museum", "bakery"};
static const char *const things[WORLD_THINGS] = {"kettle", "lantern", "map", "violin"};

const char *world_person(int i) { return people[i]; }
const char *world_place(int i) { return places[i]; }
const char *world_thing(int i) { return things[i]; }

void world_begin(World *w, RandomKey key, Buffer *text)
{
    w->key = key;
    w->drawn = 0;
    w->text = text;
    w->sentences = 0;
    for (int i = 0; i < WORLD_PEOPLE; i++) w->place[i] = w->moved[i] = -1;
    for (int i = 0; i < WORLD_THINGS; i++) {
        w->holder[i] = w->taken[i] = w->lies[i] = -1;
        w->visits[i] = 0;
    }
}

int world_below(World *w, int n) { return (int)random_below(w->key, w->drawn++, 0, n); }

bool world_chance(World *w, int percent) { return world_below(w, 100) < percent; }

int world_length(World *w, int least)
{
    const int n = w->min_sentences + world_below(w, w->max_sentences - w->min_sentences + 1);
    return n < least ? least : n;
}

int world_pick(World *w, int n, bool (*fits)(const World *w, int i))
{
    int count = 0;
    for (int i = 0; i < n; i++) count += fits(w, i);
    if (count == 0) return -1;
    int k = world_below(w, count);
    for (int i = 0; i < n; i++)
        if (fits(w, i) && k-- == 0) return i;
    return -1;
}

bool world_is_placed(const World *w, int person) { return w->place[person] >= 0; }
bool world_is_held(const World *w, int thing) { return w->holder[thing] >= 0; }
bool world_is_free(const World *w, int thing) { return w->holder[thing] < 0; }

/* The lines are numbered from 1, as in the bAbI format. */
static Status put_line(World *w, const char *format, va_list args)
{
    char line[256];
    vsnprintf(line, sizeof line, format, args);
    return buffer_format(w->text, "%d %s", w->sentences + 1, line);
}

Status world_say(World *w, const char *format, ...)
{
    REQUIRE(w->sentences < WORLD_SENTENCES, ERR_INTERNAL, "a story of more than %d sentences", WORLD_SENTENCES);
    va_list args;
    va_start(args, format);
    const Status st = put_line(w, format, args);
    va_end(args);
    w->sentences++;
    TRY(st);
    return buffer_text(w->text, ".\n");
}

Status world_ask(World *w, const char *answer, int n_support, const int *support, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const Status st = put_line(w, format, args);
    va_end(args);
    TRY(st);
    TRY(buffer_format(w->text, "?\t%s\t", answer));
    for (int i = 0; i < n_support; i++) TRY(buffer_format(w->text, "%s%d", i ? " " : "", support[i] + 1));
    return buffer_text(w->text, "\n");
}

Status world_move(World *w, int person)
{
    static const char *const verbs[] = {"walked to", "hurried to", "cycled to", "returned to"};
    int place = world_below(w, w->place[person] < 0 ? w->places : w->places - 1);
    if (w->place[person] >= 0 && place >= w->place[person]) place++;
    const int before = w->moved[person];
    w->place[person] = place;
    w->moved[person] = w->sentences;
    for (int t = 0; t < w->things; t++)
        if (w->holder[t] == person)
            w->visit[t][w->visits[t]++] = (WorldVisit){place, w->taken[t], before, w->sentences};
    return world_say(w, "%s %s the %s", people[person], verbs[world_below(w, 4)], places[place]);
}

Status world_take(World *w, int person, int thing)
{
    static const char *const verbs[] = {"picked up", "collected", "fetched"};
    const int place = w->place[person], n = w->visits[thing];
    if (place >= 0 && (n == 0 || w->visit[thing][n - 1].place != place))
        w->visit[thing][w->visits[thing]++] = (WorldVisit){place, -1, -1, -1};
    w->holder[thing] = person;
    w->taken[thing] = w->sentences;
    return world_say(w, "%s %s the %s", people[person], verbs[world_below(w, 3)], things[thing]);
}

Status world_put(World *w, int thing)
{
    static const char *const verbs[] = {"put down", "let go of", "parted with"};
    const int person = w->holder[thing];
    w->holder[thing] = -1;
    w->lies[thing] = w->place[person];
    return world_say(w, "%s %s the %s", people[person], verbs[world_below(w, 3)], things[thing]);
}
