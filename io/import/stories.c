/* stories.c - generator of short stories with a question, in the manner of bAbI but in words of its own.
 *
 * Example i of a split depends on (seed, split, i) alone. The text is made in the bAbI format and read like a file. */
#include <inttypes.h>
#include <string.h>

#include "io/import/families.h"
#include "io/import/generator.h"
#include "io/import/story.h"
#include "io/import/story_tasks.h"

typedef struct StoriesSettings {
    TextList tasks;
    int64_t train, valid, test, min_sentences, max_sentences, people, places, things, seed;
} StoriesSettings;

#define ROW(name) &story_##name,
static const StoryTask *const tasks[] = {STORY_TASKS(ROW) NULL};

enum { TASKS = sizeof tasks / sizeof *tasks - 1 };

static const char *group(int64_t number) { return number > 0 && number <= TASKS ? tasks[number - 1]->name : NULL; }

static const char *task_name(int i) { return tasks[i] ? tasks[i]->name : NULL; }

static const Field fields[] = {
    FIELD(StoriesSettings, tasks,
          .preset = "[one_fact, two_facts, three_facts, yes_no, counting, lists, negation, directions]",
          .choice = task_name, .help = "What the questions ask for."),
    FIELD(StoriesSettings, train, .preset = "1000", .min = 0, .max = 1e9, .unit = "questions",
          .help = "Questions of each task to train on."),
    FIELD(StoriesSettings, valid, .preset = "100", .min = 0, .max = 1e9, .unit = "questions",
          .help = "Questions of each task to validate on."),
    FIELD(StoriesSettings, test, .preset = "200", .min = 0, .max = 1e9, .unit = "questions",
          .help = "Questions of each task to test on."),
    FIELD(StoriesSettings, min_sentences, .preset = "4", .min = 1, .max = WORLD_SENTENCES, .unit = "sentences",
          .help = "Shortest story; a task that needs more facts makes longer ones."),
    FIELD(StoriesSettings, max_sentences, .preset = "10", .min = 1, .max = WORLD_SENTENCES, .unit = "sentences",
          .help = "Longest story; directions tells at most one sentence less than there are places."),
    FIELD(StoriesSettings, people, .preset = "4", .min = 2, .max = WORLD_PEOPLE, .help = "People in the stories."),
    FIELD(StoriesSettings, places, .preset = "6", .min = 3, .max = WORLD_PLACES, .help = "Places in the stories."),
    FIELD(StoriesSettings, things, .preset = "3", .min = 1, .max = WORLD_THINGS, .help = "Things in the stories."),
    FIELD(StoriesSettings, seed, .preset = "1", .min = 0, .max = 1e15, .help = "Of all random choices."),
};

typedef struct Stories {
    Generator generator; /* first */
    const StoriesSettings *settings;
    StoryParser parser;
    Buffer text;
} Stories;

static void stories_close(void *state)
{
    Stories *s = state;
    story_close(&s->parser);
    buffer_close(&s->text);
}

static Status stories_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    (void)text;
    Stories *s;
    TRY_NEW(s, run, 1);
    s->settings = settings;
    const StoriesSettings *o = s->settings;
    REQUIRE(o->min_sentences <= o->max_sentences, ERR_CONFIG,
            "source.min_sentences is %" PRId64 ", more than source.max_sentences, %" PRId64, o->min_sentences,
            o->max_sentences);
    REQUIRE(o->tasks.n > 0, ERR_CONFIG, "source.tasks is empty");
    generator_open(&s->generator, "stories", split, o->train * o->tasks.n, o->valid * o->tasks.n, o->test * o->tasks.n);
    const Status st = story_open(&s->parser, run);
    if (st != OK) stories_close(s);
    TRY(st);
    *state = s;
    return OK;
}

/* The tasks come one after the other, as the files of bAbI do. */
static int task_of(const Stories *s, int64_t example)
{
    const char *name = s->settings->tasks.item[example / (s->generator.n / s->settings->tasks.n)];
    int i = 0;
    while (tasks[i] && strcmp(tasks[i]->name, name) != 0) i++;
    return i;
}

static Status stories_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    Stories *s = state;
    const int64_t example = r->line - 1;
    const int task = task_of(s, example);
    REQUIRE(tasks[task], ERR_CONFIG, "source.tasks: there is no such task");
    const StoriesSettings *o = s->settings;
    World w;
    w.people = (int)o->people;
    w.places = (int)o->places;
    w.things = (int)o->things;
    w.min_sentences = (int)o->min_sentences;
    w.max_sentences = (int)o->max_sentences;
    s->text.size = 0;
    world_begin(&w, generator_draws(&s->generator, o->seed, r).key, &s->text);
    TRY(tasks[task]->tell(&w));
    const Record told = {s->text.data, s->text.size, r->file, r->line};
    return story_parse(&s->parser, &told, task + 1, true, scratch, out);
}

const ImporterDef import_stories = {
    .component = {.name = "stories",
                  .help = "Generated stories with a question, whose answer and supporting sentences are known.",
                  ROWS(fields, StoriesSettings)},
    .fields = story_fields,
    .n_fields = STORY_FIELDS,
    .open = stories_open,
    .next = generator_next,
    .parse = stories_parse,
    .close = stories_close,
    .ask = &story_ask,
    .group = group,
    .sample = {.rows = "tasks: [one_fact], train: 24, valid: 6, test: 6",
               .question = "{\"story\": [\"anna went to the kitchen\"], \"question\": \"where is anna\"}"},
};
