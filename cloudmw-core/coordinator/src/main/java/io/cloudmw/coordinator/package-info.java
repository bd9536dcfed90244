/**
 * The coordinator: what the cluster knows and who may do what. Everything durable is in the catalog; leases of helpers
 * are in memory and come back by themselves after a restart. Safe for any thread; calls block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator;

import org.jspecify.annotations.NullMarked;
