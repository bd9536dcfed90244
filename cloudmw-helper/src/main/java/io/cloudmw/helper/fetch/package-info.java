/**
 * Attempts to fetch a block from a store, on a bounded pool of blocking threads. Safe for any thread; only pool threads
 * block.
 */
@NullMarked
package io.cloudmw.helper.fetch;

import org.jspecify.annotations.NullMarked;
