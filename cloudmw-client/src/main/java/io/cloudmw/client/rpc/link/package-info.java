/**
 * Links to helpers, each a gRPC channel and a bulk connection, and the streams of commands and events on them. Calls do
 * not block; events arrive on the client's event threads.
 */
@NullMarked
package io.cloudmw.client.rpc.link;

import org.jspecify.annotations.NullMarked;
