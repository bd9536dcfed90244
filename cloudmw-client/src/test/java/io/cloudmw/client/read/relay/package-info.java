/** Tests of relays. */
@NullMarked
package io.cloudmw.client.read.relay;

import org.jspecify.annotations.NullMarked;
