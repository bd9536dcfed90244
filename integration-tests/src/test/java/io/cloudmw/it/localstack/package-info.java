/**
 * LocalStack for the tests: an instance that already runs, a container, or a process of this machine. Instances are
 * safe for any thread.
 */
@NullMarked
package io.cloudmw.it.localstack;

import org.jspecify.annotations.NullMarked;
