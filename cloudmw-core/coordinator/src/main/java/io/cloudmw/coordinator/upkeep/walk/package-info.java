/**
 * Walks over the chunks of all current file versions, a bounded piece at a time. A walk is confined to one thread;
 * calls block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.walk;

import org.jspecify.annotations.NullMarked;
