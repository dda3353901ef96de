/* restore.h - the parameters of a checkpoint into a session, to evaluate or to predict. */
#ifndef TRAINER_TRAIN_RESTORE_H
#define TRAINER_TRAIN_RESTORE_H
#include "trainer/session/session.h"

/* [collective] which: "best", "last", a path, or NULL for the best of the configuration's run (the last when no
 * evaluation chose a best). The moving average is taken when there is one. *path names the file, for the reader.
 * split: whose examples will be looked at, NULL: none; another corpus than that of the training is told then. */
NODISCARD Status restore_model(Session *s, const char *which, const char *split, const char **path);

#endif
