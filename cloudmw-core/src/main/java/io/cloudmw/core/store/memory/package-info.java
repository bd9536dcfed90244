/** Chunks in the heap: for tests and for trying things out. Safe for any thread. */
@NullMarked
package io.cloudmw.core.store.memory;

import org.jspecify.annotations.NullMarked;
