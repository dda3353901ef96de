/* result.h - the measures that a finished run leaves in finished.json, and how they are read back. */
#ifndef TRAINER_TRAIN_RESULT_H
#define TRAINER_TRAIN_RESULT_H
#include "io/record/run.h"
#include "trainer/train/train.h"

/* {"steps": 1200, "epochs": 10, "decides": "accuracy", "checkpoint": "step-000001000.h5", "corpus": HEX, "examples": 900, "vectors": "", "measures": {"test": [{"name": "loss", "value": 0.1, "higher":
 * false}]}} */
NODISCARD Status result_write(const RunFolder *folder, const TrainResult *r);
NODISCARD Status result_parse(const char *path, const char *text, Arena *run, TrainResult *out);

#endif
