/**
 * Calls to the coordinator, and the values that it answers. Calls do not block; answers arrive on the client's event
 * threads.
 */
@NullMarked
package io.cloudmw.client.rpc.coordinator;

import org.jspecify.annotations.NullMarked;
