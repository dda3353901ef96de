/* page_style.h - the style sheet of page.c. */
#ifndef IO_PAGE_PAGE_STYLE_H
#define IO_PAGE_PAGE_STYLE_H

extern const char page_style[];

#endif
