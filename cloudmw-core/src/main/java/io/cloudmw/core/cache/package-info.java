/** Cache replacement, a bounded buffer of fetched blocks, and a filter of versions. Safe for any thread; no I/O. */
@NullMarked
package io.cloudmw.core.cache;

import org.jspecify.annotations.NullMarked;
