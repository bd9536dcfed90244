/**
 * Transfer plans of reads: segments of the manifest, replicas, helpers to ask, signed URLs and tokens; and the
 * reports of bad replicas that readers make. Safe for any thread; calls block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.read;

import org.jspecify.annotations.NullMarked;
