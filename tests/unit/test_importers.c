/* Every importer of the table, on the sample that it brings along: it is packed, read alike again, and asked. */
#include "allocations.h"
#include "io/import/ask.h"
#include "tiny.h"

static Comm *comm;

static int count_roles(int n, const DataField *fields, Role role)
{
    int found = 0;
    for (int i = 0; i < n; i++) found += fields[i].role == role;
    return found;
}

static void check_fields(const ImporterDef *def, const void *settings)
{
    DataField fields[BATCH_FIELDS];
    const int n = import_fields(def, settings, fields);
    int which;
    const char *fault = field_fault(n, fields, &which);
    CHECK(!fault, "%s: field %s: %s", def->component.name, fields[which].name, fault);
    CHECK(count_roles(n, fields, ROLE_TARGET) == 1, "%s has %d targets", def->component.name,
          count_roles(n, fields, ROLE_TARGET));
}

/* A digest of all words of a split. */
static uint64_t walk(const ImporterDef *def, const Config *c, const char *split, int64_t *examples)
{
    Importer *im;
    Arena run = {0}, scratch = {0};
    DataField fields[BATCH_FIELDS];
    const int n = import_fields(def, config_component(c, "source"), fields);
    uint64_t sum = 14695981039346656037u;
    CHECK_OK(
        import_open(&im, &run, def->component.name, config_component(c, "source"), config_section(c, "text"), split));
    for (*examples = 0;; ++*examples) {
        Record r;
        Example e;
        bool end;
        CHECK_OK(import_next(im, &r, &end));
        if (end) break;
        CHECK_OK(import_parse(im, &r, &scratch, &e));
        CHECK(!e.left_out, "%s: a pair of the sample is left out", def->component.name);
        for (int f = 0; f < n; f++) {
            const ExampleField *field = &e.field[f];
            for (int64_t i = 0; field->word && i < field->count[fields[f].levels]; i++)
                for (size_t k = 0; k < field->word[i].size; k++)
                    sum = (sum ^ (uint8_t)field->word[i].text[k]) * 1099511628211u;
        }
        arena_release(&scratch, (ArenaMark){0});
    }
    CHECK(import_skipped(im) == 0, "%s: %lld records of the sample are left out", def->component.name,
          (long long)import_skipped(im));
    import_close(im);
    arena_close(&scratch);
    arena_close(&run);
    return sum;
}

/* Of the first example of the split. */
static Status first_example(const ImporterDef *def, const Config *c, Arena *arena, const char *split)
{
    Importer *im = NULL;
    Record r;
    Example e;
    bool end;
    TRY(import_open(&im, arena, def->component.name, config_component(c, "source"), config_section(c, "text"), split));
    Status st = import_next(im, &r, &end);
    if (st == OK && !end) st = import_parse(im, &r, arena, &e);
    import_close(im);
    return st;
}

/* What its question says is an example without the target: what is read is there, what is predicted is not. */
static void check_question(const ImporterDef *def, const Config *c)
{
    Arena run = {0};
    ImportAsk *ask;
    Example e;
    DataField fields[BATCH_FIELDS];
    const int n = import_fields(def, config_component(c, "source"), fields);
    const Record r = {def->sample.question, strlen(def->sample.question), "question", 1};
    CHECK_OK(import_ask_open(&ask, &run, def->component.name, n, fields, config_section(c, "text")));
    CHECK_OK(import_ask(ask, &r, NULL, &run, &e));
    int read = 0;
    for (int f = 0; f < n; f++) {
        const Role role = fields[f].role;
        const int64_t found = e.field[f].count[fields[f].levels];
        if (role == ROLE_INPUT || role == ROLE_QUERY || role == ROLE_FEATURES) read += found > 0;
        if (role == ROLE_TARGET) CHECK(found == 0, "%s: a question has its answer", def->component.name);
    }
    CHECK(read > 0, "%s: nothing of the question was read", def->component.name);
    import_ask_close(ask);
    arena_close(&run);
}

TEST(every_importer_packs_its_sample_and_reads_it_alike_again)
{
    for (int i = 0; import_choice(i); i++) {
        const ImporterDef *def = import_find(import_choice(i)->name);
        const char *name = def->component.name;
        char text[512];
        Tiny t;
        CHECK(def->sample.rows && def->sample.question, "%s brings no sample along", name);
        snprintf(text, sizeof text, "source: {name: %s, %s}\n", name, def->sample.rows);
        tiny_pack(&t, comm, name, text);
        check_fields(def, config_component(t.config, "source"));
        check_question(def, t.config);
        static const char *const splits[] = {"train", "test"};
        for (int s = 0; s < 2; s++) {
            int64_t n, again;
            EACH_ALLOCATION_FAILS(first_example(def, t.config, &failing, splits[s]), (void)0);
            const uint64_t first = walk(def, t.config, splits[s], &n), second = walk(def, t.config, splits[s], &again);
            CHECK(n > 0 && n == again && first == second, "%s: %lld and %lld examples in %s", name, (long long)n,
                  (long long)again, splits[s]);
            Corpus *corpus;
            const DataSettings *data = config_section(t.config, "data");
            CHECK_OK(corpus_open(&corpus, &t.run, comm, data->corpus, true));
            CHECK(corpus_examples(corpus, splits[s]) == n, "%s: the corpus has other examples in %s", name, splits[s]);
            corpus_close(corpus);
        }
        tiny_close(&t);
    }
}

int main(int argc, char **argv)
{
    if (comm_init(&comm, &argc, &argv) != OK) return 1;
    const struct CMUnitTest tests[] = {RUN(every_importer_packs_its_sample_and_reads_it_alike_again)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finalize(comm);
    return failed;
}
