/** The public API for the state of a cluster: stores, helpers, and the progress of upkeep. Immutable values. */
@NullMarked
package io.cloudmw.core.status;

import org.jspecify.annotations.NullMarked;
