/* trained.c - configuration, session, checkpoint. */
#include "trainer/command/trained.h"

#include "comm/log.h"
#include "trainer/train/restore.h"

Status trained_open(Command *c, Session *s, const char *split, const char **checkpoint)
{
    *s = (Session){0};
    Config *config;
    TRY(command_read(c, &config));
    const RunSettings *settings = config_section(config, "run");
    TRY(session_open(s, c->comm, c->run, config, (uint64_t)settings->seed));
    if (split && corpus_examples(s->corpus, split) == 0) {
        const char *near = corpus_has_split(s->corpus, split) ? NULL : corpus_near_split(s->corpus, split);
        FAIL(ERR_DATA, "%s: the corpus has no examples in split %s%s%s%s", corpus_folder(s->corpus), split,
             near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    TRY(restore_model(s, command_value(c, "--checkpoint"), split, checkpoint));
    log_debug("%s: parameters of model %s", *checkpoint, s->model->def->component.name);
    return OK;
}
