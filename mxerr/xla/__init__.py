"""XLA: its errors by name (`mxerr.xla.exceptions`), a small runtime to meet them in, and JAX's errors typed."""
