/**
 * Fixtures for tests of the coordinator, for other modules too.
 */
@NullMarked
package io.cloudmw.coordinator.testing;

import org.jspecify.annotations.NullMarked;
