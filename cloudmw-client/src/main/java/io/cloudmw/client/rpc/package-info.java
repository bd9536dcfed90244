/**
 * Parts that the client's calls to every process share: channels, retries, watches and futures. Generated types stay in
 * this package and the two below it. Calls do not block; answers arrive on the client's event threads.
 */
@NullMarked
package io.cloudmw.client.rpc;

import org.jspecify.annotations.NullMarked;
