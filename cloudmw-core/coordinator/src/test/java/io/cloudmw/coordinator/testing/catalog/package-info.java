/** The contract tests of every catalog. */
@NullMarked
package io.cloudmw.coordinator.testing.catalog;

import org.jspecify.annotations.NullMarked;
