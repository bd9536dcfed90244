/**
 * The work of gets and puts. Each transfer is driven by one serial executor that owns its state (its
 * {@link io.cloudmw.core.delivery.Delivery} too); leaves are verified and handed on by worker threads, blocking sources,
 * destinations and stores have pools of their own, and event loops only post events.
 */
@NullMarked
package io.cloudmw.client.transfer;

import org.jspecify.annotations.NullMarked;
