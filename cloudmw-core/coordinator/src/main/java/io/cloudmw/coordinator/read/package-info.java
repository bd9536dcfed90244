/**
 * Plans of reads: manifest segments, replicas, helpers, signed URLs and tokens; and reports of bad replicas. Safe for
 * any thread; calls block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.read;

import org.jspecify.annotations.NullMarked;
