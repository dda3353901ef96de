/* installed.h - the installation is read, and never written into. */
#ifndef TRAINER_COMMAND_INSTALLED_H
#define TRAINER_COMMAND_INSTALLED_H
#include "trainer/command/command.h"

/* [collective] ERR_CONFIG when the folder, the value of `key`, lies among the installed examples: an example is used from
 * where it is with other folders, or from a copy. */
NODISCARD Status installed_spare(const Command *c, const char *key, const char *folder);

#endif
