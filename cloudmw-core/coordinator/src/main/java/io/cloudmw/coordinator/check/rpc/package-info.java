/** How a coordinator has helpers check stores. Safe for any thread; calls block, in bounded time. */
@NullMarked
package io.cloudmw.coordinator.check.rpc;

import org.jspecify.annotations.NullMarked;
