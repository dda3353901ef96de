/* tiny.h - the small experiment that each model brings along (ModelDef.tiny), packed and opened in a folder of its own.
 */
#ifndef TESTS_TINY_H
#define TESTS_TINY_H
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "comm/comm.h"
#include "io/corpus/pack.h"
#include "io/file/file.h"
#include "trainer/session/session.h"

typedef struct Tiny {
    char folder[64];
    Arena run;
    Config *config;
    Session s;
    Loader *loader;
    const Batch *batch; /* the first `examples` of train */
} Tiny;

/* The files that the configuration names: those of the importer's sample. */
static inline void tiny_write(const char *folder, const ImportSample *sample)
{
    for (int i = 0; i < IMPORT_SAMPLES && sample->file[i].name; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, sample->file[i].name);
        for (char *end = strchr(path + strlen(folder) + 1, '/'); end; end = strchr(end + 1, '/')) {
            *end = '\0';
            CHECK_OK(file_make_folder(path));
            *end = '/';
        }
        CHECK_OK(file_write(path, sample->file[i].text, strlen(sample->file[i].text)));
    }
}

/* Packs the corpus of a configuration without section data, which gets one. */
static inline void tiny_pack(Tiny *t, Comm *comm, const char *name, const char *experiment)
{
    char text[4096], path[96];
    *t = (Tiny){0};
    strcpy(t->folder, "/tmp/mneme-tiny-XXXXXX");
    CHECK(mkdtemp(t->folder), "%s", t->folder);
    snprintf(path, sizeof path, "%s/tiny.yaml", t->folder);
    const int n = snprintf(text, sizeof text, "%sdata: {corpus: corpus}\n", experiment);
    CHECK(n > 0 && (size_t)n < sizeof text, "%s: %d bytes", name, n);
    CHECK_OK(file_write(path, text, (size_t)n));
    CHECK_OK(config_load(&t->config, &t->run, comm, &settings_table, path, 0, NULL));
    const Config *c = t->config;
    tiny_write(t->folder, &import_find(config_choice(c, "source"))->sample);
    const PackSource source = {config_choice(c, "source"), config_component(c, "source"), config_section(c, "text"),
                               config_section(c, "subwords")};
    const DataSettings *data = config_section(c, "data");
    CHECK_OK(corpus_pack(comm, &source, config_section(c, "pack"), data->corpus, false, NULL));
}

/* And opens a session with values, and the first examples of train. */
static inline void tiny_open(Tiny *t, Comm *comm, const char *name, const char *experiment, int64_t examples)
{
    CHECK(experiment, "%s brings no small experiment along", name);
    tiny_pack(t, comm, name, experiment);
    CHECK_OK(session_open(&t->s, comm, &t->run, t->config, 1));
    CHECK_OK(session_begin(&t->s));
    LoaderOptions o = session_reading(&t->s, "train", examples);
    o.bucket = NULL;
    CHECK_OK(loader_open(&t->loader, t->s.corpus, &o, (LoaderPosition){0, 0}));
    CHECK_OK(loader_next(t->loader, &t->batch, NULL, NULL));
    CHECK(t->batch && t->batch->B == examples, "the small experiment of %s has too few examples", name);
}

static inline void tiny_close(Tiny *t)
{
    char command[96];
    if (t->loader) loader_close(t->loader);
    if (t->s.comm) session_close(&t->s);
    arena_close(&t->run);
    snprintf(command, sizeof command, "rm -r %s", t->folder);
    CHECK(system(command) == 0, "%s", command);
}

#endif
