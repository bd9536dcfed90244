/**
 * Hosts the coordinator: its catalog, its secret and its gRPC server. Safe for any thread.
 */
@NullMarked
package io.cloudmw.coordinator.server;

import org.jspecify.annotations.NullMarked;
