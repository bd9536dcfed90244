/** Tests of writes. */
@NullMarked
package io.cloudmw.client.write;

import org.jspecify.annotations.NullMarked;
