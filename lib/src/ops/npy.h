/* npy.h: NumPy's .npy files: their header. */
#ifndef MXERR_NPY_H
#define MXERR_NPY_H

#include <stdio.h>

#include "../op.h"

/* What a header says of the data behind it. */
typedef struct mx_npy {
  int dtype;
  bool swapped;       /* the bytes of each number are in the other order */
  bool fortran_order; /* the first index runs fastest */
  mx_shape shape;
} mx_npy;

/* Reads the text of a header, a Python dict. Fails with a ValueError or NotImplementedError. */
int mx_npy_parse(const char *header, mx_npy *out);

/* Reads magic, version and header from a file; then the file stands at the data. `path` is for messages. */
int mx_npy_read_header(FILE *file, const char *path, mx_npy *out);

/* Writes magic, version 1.0 and header; returns false where the file does not take it. */
bool mx_npy_write_header(FILE *file, const mx_npy *header);

/*
 * Leaves the function with an IOError, or a FileNotFoundError, that says what could not be done and why, and has
 * errno as its code.
 */
#define MX_IO_FAIL(what, path, number) \
  return (mx_io_fail(__LINE__, __func__, __FILE__, what, path, number), MXERR_FAILURE)
void mx_io_fail(int line, const char *function, const char *source, const char *what, const char *path,
                int number);

/* Gives an error of a file the name of that file, as OSError has it; returns the status. */
int mx_io_end(int status, const char *path);

#endif
