/**
 * The public API for locks on ranges of files, which the clients of a cluster share. Locks are leases that the client
 * renews. Safe for any thread.
 */
@NullMarked
package io.cloudmw.client.lock;

import org.jspecify.annotations.NullMarked;
