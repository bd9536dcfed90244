/**
 * Calls that the coordinator makes to helpers: store probes and URL signing. Safe for any thread; calls block for a
 * bounded time.
 */
@NullMarked
package io.cloudmw.coordinator.rpc.helper;

import org.jspecify.annotations.NullMarked;
