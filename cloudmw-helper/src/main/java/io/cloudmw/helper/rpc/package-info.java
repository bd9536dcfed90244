/**
 * The gRPC services and clients of a helper. Only this room uses generated types. Callbacks arrive on gRPC threads and are
 * handed to the executors of their owners.
 */
@NullMarked
package io.cloudmw.helper.rpc;

import org.jspecify.annotations.NullMarked;
