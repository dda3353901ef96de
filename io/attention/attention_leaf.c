/* attention_leaf.c - the orders, the packed pictures, and the script that shows one. */
#include "io/attention/attention_leaf.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/attention/alignment.h"
#include "io/attention/draw.h"
#include "io/format/json.h"

enum { STILL = 10 /* pictures without a script */, ORDERS = 3 };

/* --- What makes an input worse than another --- */

typedef struct Key {
    const char *name, *label;
    bool known;
    double *value; /* (n); below 0: not known for this one */
} Key;

/* Of the first attention whose links people know. */
static Status error_of(const AttentionExample *e, AttentionReadout how, Arena *arena, double *error)
{
    *error = -1;
    for (int v = 0; v < e->n_views; v++) {
        AlignmentLinks links;
        if (!attention_has_links(e, &e->view[v]) || e->view[v].measure != ATTENTION_WEIGHT) continue;
        const AlignmentGold gold = alignment_gold(e, &e->view[v]);
        TRY(alignment_links(e, &e->view[v], how, arena, &links));
        *error = alignment_error(&gold, &links, NULL);
        return OK;
    }
    return OK;
}

static int64_t words_in(const AttentionExample *e)
{
    int64_t n = 0;
    for (int f = 0; f < e->n_fields; f++) n += e->field[f].words.n;
    return n;
}

/* Of the first model, where there are several. */
static Status find_keys(const AttentionPage *p, Arena *arena, Key key[ORDERS])
{
    const AttentionFile *f = &p->file[0];
    key[0] = (Key){.name = "loss", .label = "highest loss a word first"};
    key[1] = (Key){.name = "error", .label = "highest alignment error first"};
    key[2] = (Key){.name = "length", .label = "longest first"};
    for (int k = 0; k < ORDERS; k++) TRY_NEW(key[k].value, arena, f->n + 1);
    for (int i = 0; i < f->n; i++) {
        const AttentionExample *e = &f->example[i];
        key[0].value[i] = attention_loss(e);
        TRY(error_of(e, p->links, arena, &key[1].value[i]));
        key[2].value[i] = (double)words_in(e);
        for (int k = 0; k < ORDERS; k++) key[k].known = key[k].known || key[k].value[i] >= 0;
    }
    return OK;
}

typedef struct Place {
    double value;
    int input;
} Place;

static int worse_first(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? 1 : -1;
    return x->input - y->input;
}

/* --- The pictures --- */

static Status put_base64(Buffer *out, const unsigned char *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    TRY(buffer_reserve(out, out->size + 4 * (n / 3 + 1)));
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const unsigned v = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? (unsigned)bytes[i + 2] : 0);
        const char four[4] = {digit[v >> 18], digit[v >> 12 & 63], left > 1 ? digit[v >> 6 & 63] : '=',
                              left > 2 ? digit[v & 63] : '='};
        TRY(buffer_append(out, four, 4));
    }
    return OK;
}

static Status put_packed(Buffer *out, const AttentionPage *p, int i, AttentionPut *put, Buffer *plain, Buffer *packed)
{
    plain->size = 0;
    TRY(put(plain, p, i));
    uLongf size = compressBound(plain->size);
    TRY(buffer_reserve(packed, size));
    const int code = compress2((Bytef *)packed->data, &size, (const Bytef *)plain->data, plain->size, 9);
    REQUIRE(code == Z_OK, ERR_HOST, "deflate: %s", zError(code));
    TRY(buffer_text(out, i ? ",\n\"" : "\""));
    TRY(put_base64(out, (const unsigned char *)packed->data, size));
    return buffer_text(out, "\"");
}

static Status put_pictures(Buffer *out, const AttentionPage *p, AttentionPut *put)
{
    Buffer plain = {0}, packed = {0};
    Status st = buffer_text(out, "<script type=\"application/json\" id=\"pictures\">[");
    for (int i = 0; i < p->file[0].n && st == OK; i++) st = put_packed(out, p, i, put, &plain, &packed);
    buffer_close(&plain);
    buffer_close(&packed);
    TRY(st);
    return buffer_text(out, "]</script>\n");
}

/* --- The index: keys, and the words for finding --- */

static Status add_words(Buffer *text, const AttentionWords *w)
{
    for (int64_t i = 0; i < w->n; i++) {
        size_t n;
        const char *word = words_at(w, i, &n);
        TRY(buffer_append(text, word, n));
        TRY(buffer_text(text, " "));
    }
    return OK;
}

static Status put_text(Json *j, const AttentionExample *e, Buffer *text)
{
    text->size = 0;
    for (int f = 0; f < e->n_fields; f++) TRY(add_words(text, &e->field[f].words));
    json_text_n(j, text->data ? text->data : "", text->size);
    return OK;
}

static Status build_index(Buffer *json, const AttentionPage *p, const Key *key, Buffer *text)
{
    const AttentionFile *f = &p->file[0];
    Json j = json_begin(json);
    json_open_object(&j);
    for (int k = 0; k < ORDERS; k++) {
        if (!key[k].known) continue;
        json_key(&j, key[k].name);
        json_open_array(&j);
        for (int i = 0; i < f->n; i++) json_float(&j, (float)key[k].value[i]);
        json_end(&j);
    }
    json_key(&j, "text");
    json_open_array(&j);
    for (int i = 0; i < f->n; i++) TRY(put_text(&j, &f->example[i], text));
    json_end(&j);
    json_end(&j);
    return json_finish(&j);
}

/* In a script no "</script>" may stand: '<' occurs in texts alone, where it may be written as a number. */
static Status put_index(Buffer *out, const AttentionPage *p, const Key *key)
{
    Buffer json = {0}, text = {0};
    Status st = build_index(&json, p, key, &text);
    if (st == OK) st = buffer_text(out, "<script type=\"application/json\" id=\"index\">");
    for (size_t i = 0; i < json.size && st == OK; i++)
        st = json.data[i] == '<' ? buffer_text(out, "\\u003c") : buffer_append(out, json.data + i, 1);
    if (st == OK) st = buffer_text(out, "</script>\n");
    buffer_close(&json);
    buffer_close(&text);
    return st;
}

/* --- The page --- */

static const char script[] =
    "(()=>{\n"
    "const id=n=>document.getElementById(n),read=n=>JSON.parse(id(n).textContent);\n"
    "const index=read('index'),pictures=read('pictures'),bar=id('bar'),box=id('box'),number=id('number');\n"
    "const all=[...pictures.keys()];let order=all,at=0;\n"
    "async function unpack(s){const b=Uint8Array.from(atob(s),c=>c.charCodeAt(0));\n"
    "return new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream('deflate'))).text()}\n"
    "async function show(to){at=Math.max(0,Math.min(order.length-1,to));const i=order[at];\n"
    "id('of').textContent=order.length===all.length?'of '+order.length:'of '+order.length+' found';\n"
    "id('before').disabled=at===0;id('after').disabled=at>=order.length-1;number.max=order.length;\n"
    "number.value=order.length?at+1:0;if(i===undefined){box.textContent='';return}\n"
    "const html=await unpack(pictures[i]);if(order[at]===i){box.innerHTML=html;\n"
    "try{history.replaceState(null,'','#'+(i+1))}catch(e){}}}\n"
    "function sort(keep){const by=index[id('order').value],words=id('find').value.toLowerCase();\n"
    "const was=order[at];order=all.filter(i=>index.text[i].toLowerCase().includes(words));\n"
    "if(by)order.sort((a,b)=>by[b]-by[a]||a-b);show(keep?Math.max(0,order.indexOf(was)):0)}\n"
    "id('before').onclick=()=>show(at-1);id('after').onclick=()=>show(at+1);\n"
    "number.onchange=()=>show(number.value-1);id('order').onchange=()=>sort(false);id('find').oninput=()=>sort(false);"
    "\n"
    "document.addEventListener('keydown',e=>{if(e.ctrlKey||e.altKey||e.metaKey)return;\n"
    "if(['INPUT','SELECT'].includes(e.target.tagName))return;\n"
    "const to={ArrowLeft:at-1,ArrowRight:at+1,j:at+1,k:at-1,Home:0,End:order.length-1}[e.key];\n"
    "if(to!==undefined){e.preventDefault();show(to)}});\n"
    "bar.hidden=false;\n"
    "if(!window.DecompressionStream){box.textContent='This browser is too old to unpack the pictures.';return}\n"
    "sort(false);const named=parseInt(location.hash.slice(1));\n"
    "if(named)show(order.indexOf(named-1));\n"
    "})();\n";

static Status put_bar(Buffer *out, const Key *key)
{
    TRY(buffer_text(out, "<nav class=\"leaf\" id=\"bar\" hidden>\n"
                         "<button id=\"before\" title=\"before: left arrow or k\">&#8592;</button>\n"
                         "<button id=\"after\" title=\"after: right arrow or j\">&#8594;</button>\n"
                         "<label><input id=\"number\" type=\"number\" min=\"1\" aria-label=\"number\"> "
                         "<span id=\"of\"></span></label>\n<select id=\"order\" aria-label=\"order\">\n"));
    for (int k = 0; k < ORDERS; k++)
        if (key[k].known) TRY(buffer_format(out, "<option value=\"%s\">%s</option>\n", key[k].name, key[k].label));
    return buffer_text(out, "<option value=\"\">in the order of the input</option>\n</select>\n"
                            "<input id=\"find\" type=\"search\" placeholder=\"find words\" aria-label=\"find words\">\n"
                            "</nav>\n<div id=\"box\"></div>\n");
}

static Status put_still(Buffer *out, const AttentionPage *p, const Key *key, Arena *arena, AttentionPut *put)
{
    const int n = p->file[0].n, most = n < STILL ? n : STILL;
    Place *place;
    TRY_NEW(place, arena, n + 1);
    for (int i = 0; i < n; i++) place[i] = (Place){key->value[i], i};
    qsort(place, (size_t)n, sizeof *place, worse_first);
    TRY(buffer_format(out, "<noscript>\n<p class=\"note\">%d of %d inputs, %s; the others need a script.</p>\n", most,
                      n, key->label));
    for (int i = 0; i < most; i++) TRY(put(out, p, place[i].input));
    return buffer_text(out, "</noscript>\n");
}

static Status put_all(Buffer *out, const AttentionPage *p, AttentionPut *put, Arena *arena)
{
    Key key[ORDERS];
    TRY(find_keys(p, arena, key));
    int first = 0;
    while (!key[first].known) first++; /* the length always is */
    TRY(put_bar(out, key));
    TRY(put_still(out, p, &key[first], arena, put));
    TRY(put_index(out, p, key));
    TRY(put_pictures(out, p, put));
    TRY(buffer_text(out, "<script>\n"));
    TRY(buffer_text(out, script));
    return buffer_text(out, "</script>\n");
}

Status attention_leaf(Buffer *out, const AttentionPage *p, AttentionPut *put)
{
    Arena arena = {0};
    const Status st = put_all(out, p, put, &arena);
    arena_close(&arena);
    return st;
}
