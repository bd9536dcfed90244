/** Measuring commands: results with machine, commit and command are in {@code docs/benchmarks/}. */
@NullMarked
package io.cloudmw.it.bench;

import org.jspecify.annotations.NullMarked;
