/* translate.h - what `mneme translate` does, for `mneme predict` too. */
#ifndef TRAINER_COMMAND_TRANSLATE_H
#define TRAINER_COMMAND_TRANSLATE_H
#include "trainer/answer/translate.h"
#include "trainer/command/command.h"

/* [collective] Answer all lines of a file ("-": standard input) with a trained model. Options of the command that it
 * does not have count as not given. */
NODISCARD Status translate_answer(Command *c, Session *s, const char *file, TranslateForm form);

#endif
