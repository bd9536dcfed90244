/** The contracts of stores, as suites of tests, and stores that misbehave on purpose. */
@NullMarked
package io.cloudmw.core.testing.store;

import org.jspecify.annotations.NullMarked;
