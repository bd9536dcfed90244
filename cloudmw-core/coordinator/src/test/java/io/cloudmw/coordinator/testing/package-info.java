/** Fixtures for tests of the coordinator, used by other modules, too. */
@NullMarked
package io.cloudmw.coordinator.testing;

import org.jspecify.annotations.NullMarked;
