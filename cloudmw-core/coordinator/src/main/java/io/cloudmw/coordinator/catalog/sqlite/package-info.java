/**
 * The catalog in one SQLite file on the coordinator's disk. Safe for any thread; one thread and
 * connection write, for all who wait at once, and a few connections read.
 */
@NullMarked
package io.cloudmw.coordinator.catalog.sqlite;

import org.jspecify.annotations.NullMarked;
