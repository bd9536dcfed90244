/** Tests of what callers are told of transfers. */
@NullMarked
package io.cloudmw.client.progress;

import org.jspecify.annotations.NullMarked;
