/**
 * The coordinator by subject: volumes, stores, helpers, files, uploads and upkeep. The catalog holds all durable
 * state. Leases of helpers live in memory, and helpers register again after a restart. Safe for any thread; calls
 * block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator;

import org.jspecify.annotations.NullMarked;
