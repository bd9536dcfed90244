/**
 * The meters of CloudMW: their names, units and tags as constants. Safe for any thread.
 */
@NullMarked
package io.cloudmw.core.metrics;

import org.jspecify.annotations.NullMarked;
