/* shelf.c: C that the tests of tracebacks show. It isn't compiled; an unclosed ( and a "quote are meant. */
/* clang-format off */
static int find_book(const shelf *shelf, int index) {
  const int size = shelf->size;
  MXERR_CHECK_LT(index, size, "IndexError: no such book. " MXERR_VALUE("index", "%d"), index);
  return 0;
}

static int walk(const shelf *shelf, int depth) {
  if (depth > 0) MXERR_TRY(walk(shelf->next, depth - 1));
  MXERR_TRY(find_book(shelf, 7));
  return 0;
}

MXERR_EXPORT int shelf_find(const shelf *shelf, int index) { MXERR_API(find_book(shelf, index)); }
