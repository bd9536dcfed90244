/** Clients that use a volume all the time and record every operation: load for tests of a running cluster. */
@NullMarked
package io.cloudmw.lab.load;

import org.jspecify.annotations.NullMarked;
