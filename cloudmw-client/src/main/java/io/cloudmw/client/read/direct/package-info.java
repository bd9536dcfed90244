/**
 * The direct reads: the race that a client runs in its own process against the stores it can reach
 * directly. The race is confined to the
 * transfer; attempts run on threads of their own and may block.
 */
@NullMarked
package io.cloudmw.client.read.direct;

import org.jspecify.annotations.NullMarked;
