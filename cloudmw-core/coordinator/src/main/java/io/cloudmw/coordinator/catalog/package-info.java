/**
 * Where everything is: volumes, stores, paths and their versions, manifest segments, and what is known to be wrong with
 * replicas. An SPI with one contract suite; implementations are safe for any thread and every call blocks, so never
 * call from an event loop.
 */
@NullMarked
package io.cloudmw.coordinator.catalog;

import org.jspecify.annotations.NullMarked;
