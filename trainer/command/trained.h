/* trained.h - what a command starts with that asks something of a trained model. */
#ifndef TRAINER_COMMAND_TRAINED_H
#define TRAINER_COMMAND_TRAINED_H
#include "trainer/command/command.h"
#include "trainer/session/session.h"

const char *trained_checkpoint(int i); /* the checkpoints that have a name; NULL after the last */
const char *trained_split(int i);      /* train, valid, test */

/* The row of the option that names the checkpoint, for the command's own rows. */
#define TRAINED_OPTION                                                                                                 \
    {                                                                                                                  \
        "--checkpoint", "FILE", trained_checkpoint, "best, last, or the path of a checkpoint (best)."                  \
    }

/* [collective] The configuration in argv[0], its corpus and model, with the values of --checkpoint; *checkpoint names
 * the file. split: one that the corpus must have examples of, or NULL. The caller closes the session, also after a
 * failure. */
NODISCARD Status trained_open(Command *c, Session *s, const char *split, const char **checkpoint);

#endif
