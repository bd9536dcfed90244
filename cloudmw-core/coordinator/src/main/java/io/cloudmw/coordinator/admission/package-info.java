/**
 * The checks that a disk or a bucket is the store it claims to be. Safe for any thread; calls block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.admission;

import org.jspecify.annotations.NullMarked;
