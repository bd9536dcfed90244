/** Tests of the torture test's faults. */
@NullMarked
package io.cloudmw.lab.torture.fault;

import org.jspecify.annotations.NullMarked;
