/** The choice of how to read: predictions of time and cost from measured speeds. Pure; confined to the calling thread. */
@NullMarked
package io.cloudmw.core.cost.plan;

import org.jspecify.annotations.NullMarked;
