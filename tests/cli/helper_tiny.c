/* helper_tiny.c - what the members of a family bring along to be tried with:
 *   helper_tiny models               the names of all models, and of the tasks that bring an experiment along
 *   helper_tiny experiment NAME      the small experiment of one of these, as a configuration
 *   helper_tiny importers            the names of all importers
 *   helper_tiny rows IMPORTER        rows of section source for its sample
 *   helper_tiny sample IMPORTER      writes the files of its sample here, and prints a question */
#include <stdio.h>
#include <string.h>

#include "tiny.h"

static const char *experiment(const char *name)
{
    const ModelDef *model = (const ModelDef *)schema_find(model_choice, name);
    const TaskDef *task = (const TaskDef *)schema_find(task_choice, name);
    return model ? model->tiny : task ? task->tiny : NULL;
}

static void list_models(void)
{
    for (int i = 0; model_choice(i); i++) puts(model_choice(i)->name);
    for (int i = 0; task_choice(i); i++)
        if (((const TaskDef *)task_choice(i))->tiny) puts(task_choice(i)->name);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *name = argc > 2 ? argv[2] : "", *text = NULL;
    if (argc == 2 && strcmp(what, "models") == 0) return list_models(), 0;
    for (int i = 0; argc == 2 && strcmp(what, "importers") == 0; i++) {
        if (!import_choice(i)) return 0;
        puts(import_choice(i)->name);
    }
    const ImporterDef *importer = import_find(name);
    if (strcmp(what, "experiment") == 0) text = experiment(name);
    if (strcmp(what, "rows") == 0 && importer) text = importer->sample.rows;
    if (strcmp(what, "sample") == 0 && importer) {
        tiny_write(".", &importer->sample);
        text = importer->sample.question;
    }
    return text ? puts(text) < 0 : ERR_INPUT;
}
