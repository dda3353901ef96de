/* gleu.h - which generator draws the references of GLEU. */
#ifndef TRAINER_METRIC_QUALITY_GLEU_H
#define TRAINER_METRIC_QUALITY_GLEU_H

/* python2, python3; NULL after the last. */
const char *gleu_draw_name(int i);

#endif
