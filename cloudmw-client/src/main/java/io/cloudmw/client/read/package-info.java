/**
 * Reads: each get drives helpers, peers and direct reads until its destination has every byte. Each get confines its
 * state, its {@link io.cloudmw.core.delivery.Delivery} included, to one serial executor.
 */
@NullMarked
package io.cloudmw.client.read;

import org.jspecify.annotations.NullMarked;
