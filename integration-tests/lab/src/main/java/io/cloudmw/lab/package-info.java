/** The lab's commands: demo, benchmarks and the torture test, found by the command line as a service. */
@NullMarked
package io.cloudmw.lab;

import org.jspecify.annotations.NullMarked;
