/* story_tasks.h - one line per task of the stories; the number of a task is its place here, from 1. */
#ifndef IO_IMPORT_STORY_TASKS_H
#define IO_IMPORT_STORY_TASKS_H
#include "io/import/world.h"

#define STORY_TASKS(X) X(one_fact) X(two_facts) X(three_facts) X(yes_no) X(counting) X(lists) X(negation) X(directions)

#define STORY_DECLARE(name) extern const StoryTask story_##name;
STORY_TASKS(STORY_DECLARE)

#endif
