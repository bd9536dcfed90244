/**
 * The counts of a round of garbage collection: copies and bytes seen, and an estimate of the total. Records are safe
 * for any thread; an estimate is confined to one.
 */
@NullMarked
package io.cloudmw.core.upkeep.collect;

import org.jspecify.annotations.NullMarked;
