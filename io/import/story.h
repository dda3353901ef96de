/* story.h - a story with a question, as the lines of the bAbI format (Weston et al. 2015, arXiv:1502.05698):
 *
 *   ID sentence                                     IDs begin at 1 and rise; a lower one begins a new story
 *   ID question<tab>answer<tab>IDs of the supporting sentences
 *
 * One example a question, with all sentences of its story before it; lines of earlier questions are no sentences. Words
 * are parted by white space, in lower case, without the final stop or question mark. */
#ifndef IO_IMPORT_STORY_H
#define IO_IMPORT_STORY_H
#include "io/import/import.h"

/* "answer" is one label even when it lists several things, as in the papers. It is not a closed vocabulary: the
 * published 1,000-question set of task 8 asks in its test for a list that training never shows. Such an answer is
 * <unk>, which counts as not found. */
enum { STORY_STORY, STORY_QUESTION, STORY_ANSWER, STORY_SUPPORT, STORY_TASK, STORY_FIELDS };
extern const DataField story_fields[STORY_FIELDS];

typedef struct StoryLine {
    int64_t id;
    bool question; /* there is a tab */
    Word text, answer, support;
} StoryLine;

/* Takes a line apart; file and number stand in messages. */
NODISCARD Status story_line(const char *line, size_t size, const char *file, int64_t number, StoryLine *out);

typedef struct StoryParser {
    TextTool *words;
    Buffer text, ids, support;
} StoryParser;

extern const ImportAskDef story_ask;

NODISCARD Status story_open(StoryParser *p, Arena *run);
void story_close(StoryParser *p);
/* r: the lines of a story; the last one is the question. Without `answered` the answer and the support are not
 * needed, and those fields stay empty. */
NODISCARD Status story_parse(StoryParser *p, const Record *r, int32_t task, bool answered, Arena *scratch,
                             Example *out);

#endif
