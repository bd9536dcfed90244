/**
 * The tree of file names in a volume, as it is now and as snapshots keep it. The rules are shared by all catalogs;
 * each catalog stores the entries. A tree is confined to the thread of its transaction.
 */
@NullMarked
package io.cloudmw.coordinator.catalog.tree;

import org.jspecify.annotations.NullMarked;
