/**
 * The destination of a transfer, without I/O: {@link io.cloudmw.core.delivery.Delivery} decides which racer reads which
 * block and which relay is accepted. Confined to one thread at a time; owns no clock.
 */
@NullMarked
package io.cloudmw.core.delivery;

import org.jspecify.annotations.NullMarked;
