/**
 * Clients that serve chunks which they hold to their neighbours. Safe for any thread; methods that block say so, and
 * event loops only send.
 */
@NullMarked
package io.cloudmw.client.peer;

import org.jspecify.annotations.NullMarked;
