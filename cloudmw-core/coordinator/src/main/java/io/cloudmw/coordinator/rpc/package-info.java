/** The coordinator's gRPC service: messages in, domain calls, messages out. Safe for any thread. */
@NullMarked
package io.cloudmw.coordinator.rpc;

import org.jspecify.annotations.NullMarked;
