/**
 * The catalog in one SQLite file on the coordinator's disk. Safe for any thread. A single thread and connection write for
 * all callers in groups, and a few connections read.
 */
@NullMarked
package io.cloudmw.coordinator.catalog.sqlite;

import org.jspecify.annotations.NullMarked;
