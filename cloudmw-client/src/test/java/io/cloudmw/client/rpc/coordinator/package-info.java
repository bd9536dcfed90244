/** Tests of the calls to the coordinator. */
@NullMarked
package io.cloudmw.client.rpc.coordinator;

import org.jspecify.annotations.NullMarked;
