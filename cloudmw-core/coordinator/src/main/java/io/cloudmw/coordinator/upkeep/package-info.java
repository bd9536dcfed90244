/**
 * Upkeep of stored data: the coordinator that holds the upkeep lease runs repair, scrub, garbage collection, drains
 * and reshaping, and gives tasks to helpers ({@code docs/adr/0013}). A single thread ticks; other methods are safe for any
 * thread and block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep;

import org.jspecify.annotations.NullMarked;
