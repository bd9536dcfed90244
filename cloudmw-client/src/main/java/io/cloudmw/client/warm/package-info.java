/**
 * Warm-ups: a client fills the caches of switches with a version before readers come. Each warm-up confines its state
 * to one serial executor.
 */
@NullMarked
package io.cloudmw.client.warm;

import org.jspecify.annotations.NullMarked;
