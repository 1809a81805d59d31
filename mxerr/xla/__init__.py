"""XLA: its errors by name (`mxerr.xla.exceptions`), a runtime to meet them in, and JAX's errors typed."""
