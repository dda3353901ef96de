/* babi.c - the bAbI tasks: files qaN_... of one task each, in the format that story.h describes. */
#include <inttypes.h>
#include <string.h>

#include "io/batch/example.h"
#include "io/import/families.h"
#include "io/import/files.h"
#include "io/import/story.h"
#include "io/text/lines.h"

typedef struct BabiSettings {
    const char *folder;
    TextList train, valid, test, tasks;
    double valid_share;
    int64_t seed;
} BabiSettings;

static const Field fields[] = {
    FIELD(BabiSettings, folder, .preset = "\"\"", .is_file = true,
          .help = "Folder with files qaN_..._train.txt, qaN_..._valid.txt and qaN_..._test.txt; or give the files."),
    FIELD(BabiSettings, train, .preset = "[]", .is_file = true,
          .help = "Files to train on, patterns such as en/qa*_train.txt."),
    FIELD(BabiSettings, valid, .preset = "[]", .is_file = true, .help = "Files to validate on."),
    FIELD(BabiSettings, test, .preset = "[]", .is_file = true, .help = "Files to test on."),
    FIELD(BabiSettings, tasks, .preset = "all",
          .help = "Numbers of the tasks, such as 1 or 3..5; all: those that there are files for."),
    FIELD(BabiSettings, valid_share, .preset = "0.1", .min = 0, .max = 0.9,
          .help = "Share of the training stories, chosen at random, to validate on when there are no files for that."),
    FIELD(BabiSettings, seed, .preset = "1", .min = 0, .max = 1e15, .help = "Of the choice of stories to validate on."),
};

enum { TASKS_MAX = 1000 };
static const size_t STORY_MAX = (size_t)16 << 20; /* bytes of one story */

typedef struct TaskFile {
    const char *path;
    int task;
} TaskFile;

typedef struct Babi {
    const BabiSettings *settings;
    Arena *run;
    TaskFile *file;
    int64_t n, next; /* files, and the next to open */
    bool by_share;   /* stories are taken when chosen for validation equals wants_chosen */
    bool wants_chosen;
    Lines lines;
    StoryParser parser;
    Buffer story;
    int64_t stories;    /* begun in this file */
    int64_t first_line; /* of the current story */
    int64_t last_id;
    bool taken; /* the current story belongs to the split */
} Babi;

/* The number N of a name qaN_..., or 0. */
static int task_of(const char *path)
{
    const char *name = files_base(path);
    int task = 0;
    if (strncmp(name, "qa", 2) != 0) return 0;
    const char *p = name + 2;
    for (; *p >= '0' && *p <= '9'; p++) {
        task = task * 10 + (*p - '0');
        if (task >= TASKS_MAX) return 0;
    }
    return *p == '_' ? task : 0;
}

/* "7" or "3..5" */
static bool parse_range(const char *text, int *first, int *last)
{
    int value[2] = {0, 0}, i = 0;
    const char *p = text;
    for (; i < 2; i++) {
        const char *start = p;
        for (; *p >= '0' && *p <= '9' && value[i] < TASKS_MAX; p++) value[i] = value[i] * 10 + (*p - '0');
        if (p == start) return false;
        if (*p == '\0') break;
        if (i == 1 || strncmp(p, "..", 2) != 0) return false;
        p += 2;
    }
    *first = value[0];
    *last = i == 0 ? value[0] : value[1];
    return *first >= 1 && *last >= *first && *last < TASKS_MAX;
}

static Status chosen_tasks(const TextList *list, bool *wanted, bool *all)
{
    *all = list->n == 0;
    for (int i = 0; i < list->n; i++) {
        if (strcmp(list->item[i], "all") == 0) {
            *all = true;
            continue;
        }
        int first, last;
        REQUIRE(parse_range(list->item[i], &first, &last), ERR_CONFIG,
                "source.tasks: \"%s\" is not a task: a number, a range such as 3..5, or all was expected",
                list->item[i]);
        for (int t = first; t <= last; t++) wanted[t] = true;
    }
    return OK;
}

/* The files of the folder for the split: qaN_..._SPLIT.txt, also .partial.txt, .gz and .xz. */
static Status folder_files(Babi *b, const char *split, Files *out)
{
    Files names;
    TRY(files_in(&names, b->run, b->settings->folder));
    TRY_NEW(out->path, b->run, names.n);
    out->n = 0;
    char *ending = arena_format(b->run, "_%s.", split);
    if (!ending) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    for (int64_t i = 0; i < names.n; i++) {
        if (task_of(names.path[i]) == 0 || !strstr(names.path[i], ending)) continue;
        char *path = arena_format(b->run, "%s/%s", b->settings->folder, names.path[i]);
        if (!path) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        out->path[out->n++] = path;
    }
    return OK;
}

static const TextList *list_of(const BabiSettings *s, const char *split)
{
    return strcmp(split, "train") == 0 ? &s->train : strcmp(split, "valid") == 0 ? &s->valid : &s->test;
}

/* All files for the split, of any task; none is no fault here. */
static Status split_files(Babi *b, const char *split, Files *out)
{
    *out = (Files){0};
    const TextList *list = list_of(b->settings, split);
    if (list->n > 0) {
        char *key = arena_format(b->run, "source.%s", split);
        if (!key) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        return files_match(out, b->run, key, list);
    }
    return b->settings->folder[0] ? folder_files(b, split, out) : OK;
}

/* The files of the wanted tasks, task by task; several files of a task in the order given. */
static Status sort_by_task(Babi *b, const Files *files, const char *split)
{
    bool wanted[TASKS_MAX] = {false}, found[TASKS_MAX] = {false}, all = false;
    TRY(chosen_tasks(&b->settings->tasks, wanted, &all));
    for (int64_t i = 0; i < files->n; i++) {
        const int task = task_of(files->path[i]);
        REQUIRE(task > 0, ERR_DATA, "%s: a name such as qa1_..., with the number of the task, was expected",
                files->path[i]);
        found[task] = true;
    }
    TRY_NEW(b->file, b->run, files->n);
    for (int t = 1; t < TASKS_MAX; t++) {
        REQUIRE(!wanted[t] || found[t] || files->n == 0, ERR_INPUT,
                "source.tasks: there is no file for task %d to %s on", t,
                strcmp(split, "valid") == 0 ? "validate" : split);
        for (int64_t i = 0; found[t] && (wanted[t] || all) && i < files->n; i++)
            if (task_of(files->path[i]) == t) b->file[b->n++] = (TaskFile){files->path[i], t};
    }
    return OK;
}

static Status choose_files(Babi *b, const char *split)
{
    Files files, valid;
    TRY(split_files(b, "valid", &valid));
    b->by_share = valid.n == 0 && b->settings->valid_share > 0 && strcmp(split, "test") != 0;
    b->wants_chosen = strcmp(split, "valid") == 0;
    TRY(split_files(b, b->by_share ? "train" : split, &files));
    REQUIRE(files.n > 0 || strcmp(split, "train") != 0, ERR_INPUT,
            "source: no file to train on: set `folder` (now \"%s\") to one with files qaN_..._train.txt, or `train`",
            b->settings->folder);
    return sort_by_task(b, &files, split);
}

static void babi_close(void *state)
{
    Babi *b = state;
    lines_free(&b->lines);
    story_close(&b->parser);
    buffer_close(&b->story);
}

static Status babi_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    (void)text; /* the format says what a sentence and a word is */
    Babi *b;
    TRY_NEW(b, run, 1);
    b->settings = settings;
    b->run = run;
    TRY(choose_files(b, split));
    const Status st = story_open(&b->parser, run);
    if (st != OK) babi_close(b);
    TRY(st);
    *state = b;
    return OK;
}

/* One more line of the current story, or the first of a new one. */
static Status add_line(Babi *b, const TaskFile *f, const char *line, size_t size, const StoryLine *parts)
{
    if (parts->id < b->last_id || b->stories == 0) {
        b->story.size = 0;
        b->first_line = b->lines.number;
        b->taken = !b->by_share ||
                   import_chosen(b->settings->seed, f->task, b->stories, b->settings->valid_share) == b->wants_chosen;
        b->stories++;
    } else {
        REQUIRE(parts->id > b->last_id, ERR_DATA, "%s:%" PRId64 ": the number %" PRId64 " comes twice in a story",
                f->path, b->lines.number, parts->id);
    }
    b->last_id = parts->id;
    if (!b->taken) return OK;
    REQUIRE(b->story.size + size < STORY_MAX, ERR_DATA, "%s:%" PRId64 ": the story is longer than %zu MiB", f->path,
            b->lines.number, STORY_MAX >> 20);
    TRY(buffer_append(&b->story, line, size));
    return buffer_append(&b->story, "\n", 1);
}

/* An empty line counts as a line of the story, so that messages name the right one. */
static Status add_blank(Babi *b) { return b->stories > 0 && b->taken ? buffer_append(&b->story, "\n", 1) : OK; }

static bool is_blank(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (line[i] != ' ' && line[i] != '\t') return false;
    return true;
}

/* Reads on in the open file up to the next question of the split. */
static Status next_question(Babi *b, const TaskFile *f, bool *found)
{
    for (*found = false; !*found;) {
        const char *line;
        size_t size;
        bool end;
        StoryLine parts;
        TRY(lines_next(&b->lines, &line, &size, &end));
        if (end) return OK;
        if (is_blank(line, size)) {
            TRY(add_blank(b));
            continue;
        }
        TRY(story_line(line, size, f->path, b->lines.number, &parts));
        TRY(add_line(b, f, line, size, &parts));
        *found = parts.question && b->taken;
    }
    return OK;
}

static Status babi_next(void *state, Record *out, bool *end)
{
    Babi *b = state;
    for (;;) {
        *end = !b->lines.file.open && b->next == b->n;
        if (*end) return OK;
        if (!b->lines.file.open) {
            TRY(lines_open_regular(&b->lines, b->file[b->next++].path));
            b->stories = b->last_id = 0;
        }
        const TaskFile *f = &b->file[b->next - 1];
        bool found;
        TRY(next_question(b, f, &found));
        if (found) {
            *out = (Record){b->story.data, b->story.size, f->path, b->first_line};
            return OK;
        }
        REQUIRE(b->stories > 0, ERR_DATA, "%s: there is no story in the file", f->path);
        lines_close(&b->lines);
    }
}

static Status babi_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    Babi *b = state;
    return story_parse(&b->parser, r, b->file[b->next - 1].task, true, scratch, out);
}

const ImporterDef import_babi = {
    .component = {.name = "babi",
                  .help = "The bAbI question answering tasks, or files in their format.",
                  .source = "Weston et al. 2015, arXiv:1502.05698",
                  ROWS(fields, BabiSettings)},
    .fields = story_fields,
    .n_fields = STORY_FIELDS,
    .open = babi_open,
    .next = babi_next,
    .parse = babi_parse,
    .close = babi_close,
    .ask = &story_ask,
    .sample = {.rows = "train: [qa1_sample_train.txt], test: [qa1_sample_train.txt], valid_share: 0.25",
               .file = {{"qa1_sample_train.txt",
                         "1 anna went to the park.\n2 where is anna? \tpark\t1\n3 anna went to the hall.\n"
                         "4 where is anna? \thall\t3\n1 paul is in the hall.\n2 anna is in the park.\n"
                         "3 where is paul? \thall\t1\n4 where is anna? \tpark\t2\n1 paul went to the park.\n"
                         "2 where is paul? \tpark\t1\n1 anna is in the hall.\n2 where is anna? \thall\t1\n"}},
               .question = "{\"story\": [\"anna went to the hall\"], \"question\": \"where is anna\"}"},
};
