/** What every catalog must do, as a suite of tests. */
@NullMarked
package io.cloudmw.core.testing.catalog;

import org.jspecify.annotations.NullMarked;
