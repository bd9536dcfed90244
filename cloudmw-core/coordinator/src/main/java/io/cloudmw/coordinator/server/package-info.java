/** The coordinator process: configuration, catalog, secret and gRPC server. Safe for any thread. */
@NullMarked
package io.cloudmw.coordinator.server;

import org.jspecify.annotations.NullMarked;
