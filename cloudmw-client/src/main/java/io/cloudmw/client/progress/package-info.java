/**
 * What callers are told about a transfer while it runs and after it: listener and receipts. Immutable values, safe for
 * any thread; listeners are called by one thread at a time.
 */
@NullMarked
package io.cloudmw.client.progress;

import org.jspecify.annotations.NullMarked;
