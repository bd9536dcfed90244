/**
 * The control plane's use of gRPC: channels, servers, the version handshake, membership proofs and the mapping of
 * errors. Safe for any thread.
 */
@NullMarked
package io.cloudmw.core.rpc;

import org.jspecify.annotations.NullMarked;
