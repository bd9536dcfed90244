/**
 * The border to the generated types: conversions both ways, errors as gRPC statuses, the version handshake. Stateless;
 * safe for any thread. What comes from the wire is validated here: a malformed message is a
 * {@link io.cloudmw.core.error.CloudMwException} with {@code INVALID_ARGUMENT}, never an unchecked exception.
 */
@NullMarked
package io.cloudmw.core.wire;

import org.jspecify.annotations.NullMarked;
