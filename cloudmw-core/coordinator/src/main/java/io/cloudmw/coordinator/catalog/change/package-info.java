/**
 * Requests to change the catalog and the log of applied changes. A call has an id, by which the catalog deduplicates
 * retries. Interfaces are implemented by each catalog; records are immutable.
 */
@NullMarked
package io.cloudmw.coordinator.catalog.change;

import org.jspecify.annotations.NullMarked;
