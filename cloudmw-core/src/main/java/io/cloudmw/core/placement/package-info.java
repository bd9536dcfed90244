/**
 * The choice of stores for a chunk's replicas and of helpers that race for them. Pure computation on its arguments;
 * values are immutable; everything is safe for any thread.
 */
@NullMarked
package io.cloudmw.core.placement;

import org.jspecify.annotations.NullMarked;
