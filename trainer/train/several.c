/* several.c - a run for each seed, then the table. */
#include "trainer/train/several.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/log.h"
#include "io/file/file.h"
#include "io/format/json.h"

typedef struct Seeds {
    int n;
    int64_t *seed;
    TrainResult *result;
} Seeds;

static Status read_seeds(const Config *config, Arena *run, Seeds *out)
{
    const RunSettings *settings = config_section(config, "run");
    out->n = settings->seeds.n;
    TRY_NEW(out->seed, run, out->n);
    TRY_NEW(out->result, run, out->n);
    for (int i = 0; i < out->n; i++) {
        char *end = NULL;
        const char *text = settings->seeds.item[i];
        const long long n = strtoll(text, &end, 10);
        REQUIRE(*text && !*end && n >= 0, ERR_CONFIG, "run.seeds: %s is no whole number from 0 on", text);
        for (int k = 0; k < i; k++) REQUIRE(out->seed[k] != n, ERR_CONFIG, "run.seeds: %lld stands there twice", n);
        out->seed[i] = n;
    }
    return OK;
}

/* What outlives the arena of its run. */
static Status keep(TrainResult *r, const TrainResult *from, Arena *run)
{
    *r = *from;
    r->decides = arena_text(run, from->decides);
    REQUIRE(r->decides, ERR_HOST, "%s", status_message());
    for (int i = 0; i < r->n; i++) {
        r->split[i] = arena_text(run, from->split[i]);
        REQUIRE(r->split[i], ERR_HOST, "%s", status_message());
    }
    return OK;
}

static Status train_one(Comm *comm, const Config *config, const TrainOptions *options, int64_t seed, Arena *run,
                        TrainResult *out)
{
    Arena own = {0};
    TrainOptions o = *options;
    o.folder = arena_format(run, "%s/seed-%lld", options->folder, (long long)seed);
    REQUIRE(o.folder, ERR_HOST, "%s", status_message());
    TrainResult result;
    Status st = train_run(comm, config, (uint64_t)seed, &o, &own, &result);
    if (st == OK && comm_rank(comm) == 0) st = keep(out, &result, run);
    arena_close(&own);
    return st;
}

static double value(const Seeds *s, int i, int split, int measure)
{
    return s->result[i].measures[split].item[measure].value;
}

/* The seed whose deciding measure on that split is best; -1 when the split or the measure is not there. */
static int best_on(const Seeds *s, const char *split)
{
    const TrainResult *r = &s->result[0];
    for (int k = 0; k < r->n; k++) {
        if (strcmp(r->split[k], split) != 0) continue;
        int best = -1;
        for (int i = 0; i < s->n; i++) {
            const Measure *m = measures_find(&s->result[i].measures[k], r->decides);
            if (!m) return -1;
            const Measure *b = best < 0 ? NULL : measures_find(&s->result[best].measures[k], r->decides);
            if (!b || measures_better(m->value, b->value, m->higher, 0)) best = i;
        }
        return best;
    }
    return -1;
}

typedef struct Spread {
    double mean, deviation, least, most; /* deviation: of the sample, n - 1 */
} Spread;

static Spread spread(const Seeds *s, int split, int measure)
{
    Spread r = {.least = INFINITY, .most = -INFINITY};
    for (int i = 0; i < s->n; i++) {
        const double v = value(s, i, split, measure);
        r.mean += v / s->n;
        if (v < r.least) r.least = v;
        if (v > r.most) r.most = v;
    }
    for (int i = 0; i < s->n; i++) {
        const double d = value(s, i, split, measure) - r.mean;
        if (s->n > 1) r.deviation += d * d / (s->n - 1);
    }
    r.deviation = sqrt(r.deviation);
    return r;
}

static Status write_best(const Seeds *s, const char *split, Buffer *out)
{
    const int best = best_on(s, split);
    if (best < 0) return OK;
    const TrainResult *r = &s->result[best];
    TRY(buffer_say(out, "best on %s: seed %lld", split, (long long)s->seed[best]));
    for (int k = 0; k < r->n; k++) {
        const Measure *m = measures_find(&r->measures[k], r->decides);
        if (m) TRY(buffer_say(out, "  %s %s %.4g", r->split[k], r->decides, m->value));
    }
    return buffer_text(out, "\n");
}

static Status write_table(const Seeds *s, Buffer *out)
{
    const TrainResult *r = &s->result[0];
    TRY(buffer_say(out, "%-8s %-20s %10s %10s %10s %10s   (%d seeds)\n", "split", "measure", "mean", "deviation",
                   "least", "most", s->n));
    for (int k = 0; k < r->n; k++)
        for (int m = 0; m < r->measures[k].n; m++) {
            const Spread x = spread(s, k, m);
            TRY(buffer_say(out, "%-8s %-20s %10.4f %10.4f %10.4f %10.4f\n", r->split[k], r->measures[k].item[m].name,
                           x.mean, x.deviation, x.least, x.most));
        }
    TRY(write_best(s, "train", out));
    return write_best(s, "valid", out);
}

static void write_split(Json *j, const Seeds *s, int split)
{
    const TrainResult *r = &s->result[0];
    json_key(j, r->split[split]);
    json_open_object(j);
    for (int m = 0; m < r->measures[split].n; m++) {
        const Spread x = spread(s, split, m);
        json_key(j, r->measures[split].item[m].name);
        json_open_object(j);
        json_put_number(j, "mean", x.mean);
        json_put_number(j, "deviation", x.deviation);
        json_key(j, "values");
        json_open_array(j);
        for (int i = 0; i < s->n; i++) json_number(j, value(s, i, split, m));
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

static Status summary(const Seeds *s, Buffer *out)
{
    Json j = json_begin(out);
    json_open_object(&j);
    json_key(&j, "seeds");
    json_open_array(&j);
    for (int i = 0; i < s->n; i++) json_int(&j, s->seed[i]);
    json_end(&j);
    for (int k = 0; k < s->result[0].n; k++) write_split(&j, s, k);
    json_end(&j);
    return json_finish(&j);
}

static Status write_summary(const Seeds *s, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/summary.json", folder);
    Buffer out = {0};
    Status st = summary(s, &out);
    if (st == OK) st = file_write(path, out.data, out.size);
    buffer_close(&out);
    return st;
}

Status several_run(Comm *comm, const Config *config, const TrainOptions *options, Arena *run, Buffer *table)
{
    Seeds s = {0};
    TRY(read_seeds(config, run, &s));
    for (int i = 0; i < s.n; i++) {
        if (comm_rank(comm) == 0) log_info("seed %lld (%d of %d)", (long long)s.seed[i], i + 1, s.n);
        TRY(train_one(comm, config, options, s.seed[i], run, &s.result[i]));
    }
    Status local = OK;
    if (comm_rank(comm) == 0) {
        local = write_table(&s, table);
        if (local == OK) local = write_summary(&s, options->folder);
    }
    return comm_agree(comm, local);
}
