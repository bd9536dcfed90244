/** Checks of stores from a coordinator and from a helper that it asks. Safe for any thread; calls block, in bounded time. */
@NullMarked
package io.cloudmw.coordinator.check;

import org.jspecify.annotations.NullMarked;
