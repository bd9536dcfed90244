/** The check of each call: the rights that a method needs, and the refusal of callers without them. Safe for any thread. */
@NullMarked
package io.cloudmw.coordinator.rpc.authorization;

import org.jspecify.annotations.NullMarked;
