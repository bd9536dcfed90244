/** The audit log: administrative changes with their callers, and failed calls. Safe for any thread. */
@NullMarked
package io.cloudmw.coordinator.rpc.audit;

import org.jspecify.annotations.NullMarked;
