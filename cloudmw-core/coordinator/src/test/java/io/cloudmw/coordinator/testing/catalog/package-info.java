/** What every catalog must do, as a suite of tests. */
@NullMarked
package io.cloudmw.coordinator.testing.catalog;

import org.jspecify.annotations.NullMarked;
