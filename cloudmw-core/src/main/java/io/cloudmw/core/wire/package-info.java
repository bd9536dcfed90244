/**
 * The conversions between wire types and the domain's values, both ways. Stateless; safe for any thread. Messages are
 * validated here: a malformed one is a {@link io.cloudmw.core.error.CloudMwException} with {@code INVALID_ARGUMENT},
 * never an unchecked exception.
 */
@NullMarked
package io.cloudmw.core.wire;

import org.jspecify.annotations.NullMarked;
