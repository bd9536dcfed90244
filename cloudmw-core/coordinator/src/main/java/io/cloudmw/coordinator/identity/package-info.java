/**
 * The cluster's own authority: it signs the certificates of coordinators, of helpers that know the join secret, and of
 * clients with a token. Safe for any thread.
 */
@NullMarked
package io.cloudmw.coordinator.identity;

import org.jspecify.annotations.NullMarked;
