/** A catalog that forgets everything at its end: for tests and examples. Safe for any thread. */
@NullMarked
package io.cloudmw.coordinator.testing.memory;

import org.jspecify.annotations.NullMarked;
