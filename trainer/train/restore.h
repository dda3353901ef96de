/* restore.h - the parameters of a checkpoint into a session, to evaluate or to predict. */
#ifndef TRAINER_TRAIN_RESTORE_H
#define TRAINER_TRAIN_RESTORE_H
#include "trainer/session/session.h"

/* [collective] which: "best", "last", a path, or NULL for the best of the configuration's run (the last when no
 * evaluation chose a best). The moving average is taken when there is one. *path names the file, for the reader. */
NODISCARD Status restore_model(Session *s, const char *which, const char **path);

#endif
