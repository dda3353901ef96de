/* measures.c - a list of fixed room. */
#include "trainer/metric/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/config/config.h"

/* The longest beginning of text of at most size - 1 bytes that does not cut a UTF-8 character. */
static void copy_name(char *to, size_t size, const char *text)
{
    size_t n = strlen(text);
    if (n >= size) {
        n = size - 1;
        while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) n--;
    }
    memcpy(to, text, n);
    to[n] = '\0';
}

/* Long labels may be the same when they are cut: no two measures have one name. */
static void make_other(Measures *m, int i)
{
    char *name = m->item[i].name, end[16], cut[MEASURE_NAME];
    for (int k = 2, found = 1; found && k < MEASURES_MAX + 2; k++) {
        found = 0;
        for (int j = 0; j < i; j++) found |= strcmp(m->item[j].name, name) == 0;
        if (!found) return;
        const int n = snprintf(end, sizeof end, "~%d", k);
        if (k == 2) memcpy(cut, name, sizeof cut);
        copy_name(name, sizeof cut - (size_t)n, cut);
        strcat(name, end);
    }
}

Status measures_add(Measures *m, const char *name, double value, bool higher)
{
    REQUIRE(m->n < MEASURES_MAX, ERR_INTERNAL, "%s: there are %d measures already", name, m->n);
    Measure *item = &m->item[m->n++];
    *item = (Measure){.value = value, .higher = higher};
    copy_name(item->name, sizeof item->name, name);
    make_other(m, m->n - 1);
    return OK;
}

void measures_prefix(Measures *m, int first, const char *prefix)
{
    char name[2 * MEASURE_NAME];
    for (int i = first; i < m->n; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, m->item[i].name);
        copy_name(m->item[i].name, sizeof m->item[i].name, name);
        make_other(m, i);
    }
}

const Measure *measures_find(const Measures *m, const char *name)
{
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->item[i].name, name) == 0) return &m->item[i];
    return NULL;
}

/* The main measures, not those of single classes and groups, which have a slash. */
static void list_names(const Measures *m, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < m->n && used < size; i++) {
        if (strchr(m->item[i].name, '/')) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", m->item[i].name);
    }
}

const char *measures_nearest(const Measures *m, const char *name)
{
    const char *names[MEASURES_MAX];
    for (int i = 0; i < m->n; i++) names[i] = m->item[i].name;
    return config_nearest(name, names, m->n);
}

Status measures_need(const Measure **out, const Measures *m, const char *name, const char *who)
{
    *out = measures_find(m, name);
    if (*out) return OK;
    char names[512];
    list_names(m, names, sizeof names);
    const char *near = strchr(name, '/') ? measures_nearest(m, name) : NULL; /* is not in the list */
    FAIL(ERR_CONFIG, "%s: the task has no measure \"%s\"; it has %s%s%s%s", who, name, names,
         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

bool measures_better(double value, double best, bool higher, double delta)
{
    if (isnan(value)) return false;
    if (isnan(best)) return true;
    return higher ? value > best + delta : value < best - delta;
}
