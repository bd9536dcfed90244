/**
 * Reads of chunks from other clients, tried before the helpers. Confined to the transfer; event loops only post events.
 */
@NullMarked
package io.cloudmw.client.read.peer;

import org.jspecify.annotations.NullMarked;
