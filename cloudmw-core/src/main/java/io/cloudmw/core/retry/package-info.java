/** The delays before retries. Values are immutable; counters are confined to one thread at a time. */
@NullMarked
package io.cloudmw.core.retry;

import org.jspecify.annotations.NullMarked;
