/**
 * Says in the coordinator's log who changed what, and which calls failed. Safe for any thread.
 */
@NullMarked
package io.cloudmw.coordinator.rpc.audit;

import org.jspecify.annotations.NullMarked;
