/**
 * The compaction of packs of small files ({@code docs/adr/0055}): packs of which few bytes are needed are replaced by
 * smaller ones. A single thread ticks; methods that take results are safe for any thread.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.compact;

import org.jspecify.annotations.NullMarked;
