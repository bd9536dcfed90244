/**
 * Starts LocalStack for the tests: one that is running already, in Docker, or as a process of this machine.
 * Instances are safe for any thread.
 */
@NullMarked
package io.cloudmw.it.localstack;

import org.jspecify.annotations.NullMarked;
