/** Backups for tests, made without a client. */
@NullMarked
package io.cloudmw.coordinator.testing.backup;

import org.jspecify.annotations.NullMarked;
