/** Tests of the direct race. */
@NullMarked
package io.cloudmw.client.read.direct;

import org.jspecify.annotations.NullMarked;
