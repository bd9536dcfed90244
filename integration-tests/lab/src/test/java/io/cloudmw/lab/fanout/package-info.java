/** Tests of the benchmark of switches. */
@NullMarked
package io.cloudmw.lab.fanout;

import org.jspecify.annotations.NullMarked;
