/**
 * The durable state of a cluster: the {@link io.cloudmw.coordinator.catalog.Catalog} interface and the rules that all
 * implementations share. The same contract tests run against each implementation. Safe for any thread; every call
 * blocks on storage, so no event loop may make one.
 */
@NullMarked
package io.cloudmw.coordinator.catalog;

import org.jspecify.annotations.NullMarked;
