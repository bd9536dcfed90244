/**
 * The racer of a transfer, without I/O: {@link io.cloudmw.core.race.Race} decides which attempts run and which racer
 * has won a block. Confined to one thread at a time; owns no clock.
 */
@NullMarked
package io.cloudmw.core.race;

import org.jspecify.annotations.NullMarked;
