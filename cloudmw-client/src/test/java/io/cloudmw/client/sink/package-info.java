/** Tests of sinks. */
@NullMarked
package io.cloudmw.client.sink;

import org.jspecify.annotations.NullMarked;
