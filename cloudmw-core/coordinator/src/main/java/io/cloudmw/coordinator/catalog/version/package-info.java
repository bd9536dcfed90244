/**
 * File versions: their states, the chunks they share, and the replica records that upkeep reads and writes. Interfaces
 * are implemented by each catalog; records are immutable.
 */
@NullMarked
package io.cloudmw.coordinator.catalog.version;

import org.jspecify.annotations.NullMarked;
