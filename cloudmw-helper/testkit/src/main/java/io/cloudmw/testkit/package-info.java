/**
 * A cluster for the tests of applications, in the JVM of the test. Its types are safe for any thread; their calls
 * block.
 */
@NullMarked
package io.cloudmw.testkit;

import org.jspecify.annotations.NullMarked;
