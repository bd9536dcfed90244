/** Ports for time, passed to domain code so that it reads no clocks. Implementations are safe for any thread. */
@NullMarked
package io.cloudmw.core.time;

import org.jspecify.annotations.NullMarked;
