/** A catalog in memory, for tests. Safe for any thread. */
@NullMarked
package io.cloudmw.coordinator.testing.memory;

import org.jspecify.annotations.NullMarked;
