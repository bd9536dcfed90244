/** Backups for tests: what the client makes of them, without a client. */
@NullMarked
package io.cloudmw.coordinator.testing.backup;

import org.jspecify.annotations.NullMarked;
