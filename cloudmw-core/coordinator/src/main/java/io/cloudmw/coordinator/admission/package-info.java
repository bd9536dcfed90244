/**
 * Rules by which a disk or a bucket is taken for the store that it says it is. Safe for any thread; calls block on
 * the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.admission;

import org.jspecify.annotations.NullMarked;
