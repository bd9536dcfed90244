/**
 * Ports for time: domain code is handed these instead of reading clocks. Implementations are safe for any thread.
 */
@NullMarked
package io.cloudmw.core.time;

import org.jspecify.annotations.NullMarked;
