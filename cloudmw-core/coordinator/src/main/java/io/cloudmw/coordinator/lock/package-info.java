/**
 * Locks on ranges of files: who holds which, and when a lock may be granted. Values are immutable; {@link
 * io.cloudmw.coordinator.lock.LockRecords} is safe for any thread and blocks on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.lock;

import org.jspecify.annotations.NullMarked;
