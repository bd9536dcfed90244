/**
 * Value records about the fleet: helpers, stores, disks and their locations. Immutable, validated when made; safe for
 * any thread.
 */
@NullMarked
package io.cloudmw.core.model.fleet;

import org.jspecify.annotations.NullMarked;
