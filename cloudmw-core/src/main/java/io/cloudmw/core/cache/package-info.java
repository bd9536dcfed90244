/** Cache replacement by size and frequency, and a filter of versions. Safe for any thread; no I/O. */
@NullMarked
package io.cloudmw.core.cache;

import org.jspecify.annotations.NullMarked;
