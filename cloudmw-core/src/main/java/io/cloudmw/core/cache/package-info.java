/** What is kept and what goes: replacement by size and frequency. Safe for any thread; no I/O. */
@NullMarked
package io.cloudmw.core.cache;

import org.jspecify.annotations.NullMarked;
