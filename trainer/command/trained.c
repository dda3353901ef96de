/* trained.c - configuration, session, checkpoint. */
#include "trainer/command/trained.h"

#include "comm/log.h"
#include "trainer/train/restore.h"

const char *trained_checkpoint(int i)
{
    static const char *const names[] = {"best", "last"};
    return i < COUNT(names) ? names[i] : NULL;
}

const char *trained_split(int i)
{
    static const char *const names[] = {"train", "valid", "test"};
    return i < COUNT(names) ? names[i] : NULL;
}

Status trained_open(Command *c, Session *s, const char *split, const char **checkpoint)
{
    *s = (Session){0};
    Config *config;
    TRY(command_read(c, &config));
    const RunSettings *settings = config_section(config, "run");
    TRY(session_open(s, c->comm, c->run, config, (uint64_t)settings->seed));
    REQUIRE(!split || corpus_examples(s->corpus, split) > 0, ERR_DATA, "%s: the corpus has no examples in split %s",
            corpus_folder(s->corpus), split);
    TRY(restore_model(s, command_value(c, "--checkpoint"), split, checkpoint));
    log_debug("%s: parameters of model %s", *checkpoint, s->model->def->component.name);
    return OK;
}
