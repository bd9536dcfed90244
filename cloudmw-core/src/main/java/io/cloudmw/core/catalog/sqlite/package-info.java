/**
 * The catalog in one SQLite file on the coordinator's disk. Safe for any thread; one connection writes, a few read.
 */
@NullMarked
package io.cloudmw.core.catalog.sqlite;

import org.jspecify.annotations.NullMarked;
