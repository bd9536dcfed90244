/** The public API for rounds of garbage collection: their progress and findings. Immutable values, but for estimates. */
@NullMarked
package io.cloudmw.core.status.collect;

import org.jspecify.annotations.NullMarked;
