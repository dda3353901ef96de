/* result.c - a TrainResult as JSON and back. */
#include "trainer/train/result.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "io/format/json.h"

static void write_measures(Json *j, const Measures *m)
{
    json_open_array(j);
    for (int i = 0; i < m->n; i++) {
        json_open_object(j);
        json_put_text(j, "name", m->item[i].name);
        json_put_number(j, "value", m->item[i].value);
        json_put_bool(j, "higher", m->item[i].higher);
        json_end(j);
    }
    json_end(j);
}

static Status write_result(const TrainResult *r, Buffer *out)
{
    Json j = json_begin(out);
    json_open_object(&j);
    json_put_int(&j, "steps", r->steps);
    json_put_int(&j, "epochs", r->epochs);
    json_put_bool(&j, "stopped_early", r->stopped_early);
    json_put_text(&j, "decides", r->decides);
    json_put_text(&j, "checkpoint", r->checkpoint);
    json_put_text(&j, "corpus", r->source.corpus);
    json_put_int(&j, "examples", r->source.examples);
    json_put_text(&j, "vectors", r->source.vectors);
    json_key(&j, "measures");
    json_open_object(&j);
    for (int i = 0; i < r->n; i++) {
        json_key(&j, r->split[i]);
        write_measures(&j, &r->measures[i]);
    }
    json_end(&j);
    json_end(&j);
    return json_finish(&j);
}

Status result_write(const RunFolder *folder, const TrainResult *r)
{
    Buffer text = {0};
    Status st = write_result(r, &text);
    if (st == OK) st = run_folder_finish(folder, r->steps, text.data);
    buffer_close(&text);
    return st;
}

static Status read_measures(const char *path, const json_t *list, Measures *out)
{
    *out = (Measures){0};
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        const json_t *value = json_object_get(item, "value");
        REQUIRE(name, ERR_DATA, "%s: a measure has no name", path);
        TRY(measures_add(out, name, json_is_number(value) ? json_number_value(value) : (double)NAN,
                         json_is_true(json_object_get(item, "higher"))));
    }
    return OK;
}

/* "" when it is not there. */
static void read_text(const json_t *root, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(root, key));
    snprintf(out, size, "%s", text ? text : "");
}

static Status read_result(const char *path, json_t *root, Arena *run, TrainResult *out)
{
    const char *decides = json_string_value(json_object_get(root, "decides"));
    json_t *measures = json_object_get(root, "measures");
    REQUIRE(decides && json_is_object(measures), ERR_DATA, "%s: the measures of the finished run are missing", path);
    out->decides = arena_text(run, decides);
    out->steps = json_integer_value(json_object_get(root, "steps"));
    out->epochs = json_integer_value(json_object_get(root, "epochs"));
    out->stopped_early = json_is_true(json_object_get(root, "stopped_early"));
    read_text(root, "checkpoint", out->checkpoint, sizeof out->checkpoint);
    read_text(root, "corpus", out->source.corpus, sizeof out->source.corpus);
    read_text(root, "vectors", out->source.vectors, sizeof out->source.vectors);
    out->source.examples = json_integer_value(json_object_get(root, "examples"));
    const char *split;
    json_t *list;
    json_object_foreach(measures, split, list)
    {
        REQUIRE(out->n < COUNT(out->split), ERR_DATA, "%s: more than %d splits", path, COUNT(out->split));
        out->split[out->n] = arena_text(run, split);
        REQUIRE(out->split[out->n] && out->decides, ERR_HOST, "%s", status_message());
        TRY(read_measures(path, list, &out->measures[out->n]));
        out->n++;
    }
    out->was_finished = true;
    return OK;
}

Status result_parse(const char *path, const char *text, Arena *run, TrainResult *out)
{
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    REQUIRE(root, ERR_DATA, "%s: line %d: %s", path, error.line, error.text);
    const Status st = read_result(path, root, run, out);
    json_decref(root);
    return st;
}
