/** Tests of the benchmark of tail latency. */
@NullMarked
package io.cloudmw.lab.race;

import org.jspecify.annotations.NullMarked;
