/**
 * The competition, without I/O: {@link io.cloudmw.core.race.Race} decides at a racer, {@link io.cloudmw.core.race.Delivery} at the destination. Both are confined to one thread at a time and own no clock.
 */
@NullMarked
package io.cloudmw.core.race;

import org.jspecify.annotations.NullMarked;
