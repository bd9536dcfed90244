/**
 * Which stores get a chunk's replicas, and which helpers race for them. Pure computation on what it is handed;
 * values are immutable; everything is safe for any thread.
 */
@NullMarked
package io.cloudmw.core.placement;

import org.jspecify.annotations.NullMarked;
