/** Tests of racers. */
@NullMarked
package io.cloudmw.client.read.racer;

import org.jspecify.annotations.NullMarked;
