/**
 * Serving what this client holds to its neighbours. Calls are safe for any thread; what blocks says so, and event loops only
 * send.
 */
@NullMarked
package io.cloudmw.client.peer;

import org.jspecify.annotations.NullMarked;
