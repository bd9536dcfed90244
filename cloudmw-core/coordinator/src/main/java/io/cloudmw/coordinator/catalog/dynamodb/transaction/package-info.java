/**
 * Conditional transactions on the table: how they are built, serialized within a process and retried after conflicts.
 * A transaction is confined to one thread; the rest is safe for any thread.
 */
@NullMarked
package io.cloudmw.coordinator.catalog.dynamodb.transaction;

import org.jspecify.annotations.NullMarked;
