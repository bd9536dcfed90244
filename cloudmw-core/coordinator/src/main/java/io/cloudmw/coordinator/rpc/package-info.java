/** The coordinator's gRPC services, which convert messages and call the domain. Safe for any thread. */
@NullMarked
package io.cloudmw.coordinator.rpc;

import org.jspecify.annotations.NullMarked;
