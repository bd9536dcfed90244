/** Tests of warm-ups. */
@NullMarked
package io.cloudmw.client.warm;

import org.jspecify.annotations.NullMarked;
