/**
 * Hosts the coordinator: its catalog, its secret and its gRPC server. Safe for any thread.
 */
@NullMarked
package io.cloudmw.helper.coordinator;

import org.jspecify.annotations.NullMarked;
