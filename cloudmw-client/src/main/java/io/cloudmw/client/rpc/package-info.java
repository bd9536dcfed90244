/**
 * The client's side of both wires: calls to the coordinator, and links to helpers (a gRPC channel and a bulk
 * connection each). Generated types stay in here. Nothing blocks; answers arrive on the client's event threads.
 */
@NullMarked
package io.cloudmw.client.rpc;

import org.jspecify.annotations.NullMarked;
