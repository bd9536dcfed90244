/** The leases behind locks: requests, renewals, releases. Safe for any thread. */
@NullMarked
package io.cloudmw.client.lock.lease;

import org.jspecify.annotations.NullMarked;
