/**
 * Listeners, progress, estimates and receipts of transfers. Immutable values, safe for any thread; listeners are called
 * by one thread at a time.
 */
@NullMarked
package io.cloudmw.client.progress;

import org.jspecify.annotations.NullMarked;
