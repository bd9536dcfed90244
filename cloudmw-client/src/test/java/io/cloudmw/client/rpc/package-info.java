/** Fakes that speak the real protocols, and tests of the client's side of them. */
@NullMarked
package io.cloudmw.client.rpc;

import org.jspecify.annotations.NullMarked;
