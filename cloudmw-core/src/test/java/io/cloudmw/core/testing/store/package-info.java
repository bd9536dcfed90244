/** What every store must do, as a suite of tests, and stores that misbehave on purpose. */
@NullMarked
package io.cloudmw.core.testing.store;

import org.jspecify.annotations.NullMarked;
