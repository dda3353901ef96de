/* A config on many ranks: rank 0 reads, all have the same settings or the same one message. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "comm/comm.h"

#include "config_fixture.h"

static Comm *comm;

static void write_file(const char *path, const char *text)
{
    if (comm_rank(comm) == 0) {
        FILE *f = fopen(path, "w");
        CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
    }
    CHECK_OK(comm_barrier(comm));
}

/* The same name on every rank. */
static void folder(char path[64])
{
    strcpy(path, "/tmp/mneme-config-XXXXXX");
    if (comm_rank(comm) == 0) CHECK(mkdtemp(path), "%s", path);
    CHECK_OK(comm_broadcast(comm, path, 64, 0));
}

TEST(a_file_that_rank_0_cannot_read_is_one_message)
{
    Arena arena = {0};
    Config *c = NULL;
    CHECK_FAILS(config_load(&c, &arena, comm, &fixture_table, "/nonexistent/a.yaml", 0, NULL), ERR_INPUT);
    CHECK(strstr(status_message(), "/nonexistent/a.yaml: No such file or directory"), "%s", status_message());
    arena_close(&arena);
}

TEST(faults_are_the_same_everywhere)
{
    char dir[64] = {0}, path[100];
    Arena arena = {0};
    Config *c = NULL;
    folder(dir);
    snprintf(path, sizeof path, "%s/a.yaml", dir);
    write_file(path, "model: {name: hna}\ndata: {path: x}\n");
    CHECK_FAILS(config_load(&c, &arena, comm, &fixture_table, path, 0, NULL), ERR_CONFIG);
    CHECK(
        strstr(status_message(), "a.yaml:1:15: model.name: expected one of han, memn2n; found hna; did you mean han?"),
        "%s", status_message());
    CHECK_OK(comm_barrier(comm));
    if (comm_rank(comm) == 0) (void)(remove(path) + rmdir(dir));
    arena_close(&arena);
}

/* Other ranks have another environment and stand in another folder: what rank 0 sees counts. */
TEST(settings_come_from_rank_0)
{
    char dir[64] = {0}, path[100], expected[100];
    Arena arena = {0};
    Config *c = NULL;
    folder(dir);
    snprintf(path, sizeof path, "%s/a.yaml", dir);
    write_file(path, "include: b.yaml\nmodel: {name: memn2n}\n");
    snprintf(expected, sizeof expected, "%s/b.yaml", dir);
    write_file(expected, "data: {path: x}\n");
    char batch[16];
    snprintf(batch, sizeof batch, "%d", 10 + comm_rank(comm));
    setenv("MNEME_TRAIN_BATCH", batch, 1);
    const char *sets[] = {"model.hops=4"};
    CHECK_OK(config_load(&c, &arena, comm, &fixture_table, path, 1, sets));
    const Train *train = config_section(c, "train");
    const Memn2n *memn2n = config_component(c, "model");
    const Data *data = config_section(c, "data");
    assert_int_equal(train->batch, 10);
    assert_int_equal(memn2n->hops, 4);
    CHECK(strstr(data->path, "/mneme-config-") && strstr(data->path, "/x"), "%s", data->path);
    unsetenv("MNEME_TRAIN_BATCH");
    CHECK_OK(comm_barrier(comm));
    if (comm_rank(comm) == 0) (void)(remove(path) + remove(expected) + rmdir(dir));
    arena_close(&arena);
}

/* Memory is lacking on each rank in turn. */
TEST(a_rank_without_memory_fails_all)
{
    char dir[64] = {0}, path[100];
    folder(dir);
    snprintf(path, sizeof path, "%s/a.yaml", dir);
    write_file(path, "model: {name: memn2n}\ndata: {path: x}\n");
    for (int bad = 0; bad < comm_size(comm); bad++) {
        Arena arena = {0};
        Config *c = NULL;
        if (comm_rank(comm) == bad) arena.fail_in = 5;
        CHECK_FAILS(config_load(&c, &arena, comm, &fixture_table, path, 0, NULL), ERR_HOST);
        CHECK(strstr(status_message(), "out of memory"), "%s", status_message());
        arena_close(&arena);
    }
    if (comm_rank(comm) == 0) (void)(remove(path) + rmdir(dir));
}

int main(int argc, char **argv)
{
    if (comm_init(&comm, &argc, &argv) != OK) return 1;
    const struct CMUnitTest tests[] = {RUN(a_file_that_rank_0_cannot_read_is_one_message),
                                       RUN(faults_are_the_same_everywhere), RUN(settings_come_from_rank_0),
                                       RUN(a_rank_without_memory_fails_all)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finalize(comm);
    return failed;
}
