/**
 * Subjects of the cluster: their records in the catalog, the changes of their rights, and the check of each call. Safe
 * for any thread.
 */
@NullMarked
package io.cloudmw.coordinator.grant;

import org.jspecify.annotations.NullMarked;
