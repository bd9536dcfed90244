/**
 * Counts of a round of garbage collection: copies and bytes that were looked at, of about how many. Records are safe for any
 * thread; an estimate belongs to one.
 */
@NullMarked
package io.cloudmw.core.upkeep.collect;

import org.jspecify.annotations.NullMarked;
