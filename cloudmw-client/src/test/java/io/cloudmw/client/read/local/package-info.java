/** Tests of the local race. */
@NullMarked
package io.cloudmw.client.read.local;

import org.jspecify.annotations.NullMarked;
