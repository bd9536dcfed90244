/** The client's side of the helpers that race for one read. Confined to the transfer; event loops only post events. */
@NullMarked
package io.cloudmw.client.read.racer;

import org.jspecify.annotations.NullMarked;
