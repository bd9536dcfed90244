/** The public API for the speeds and the activity of stores and helpers. Immutable values. */
@NullMarked
package io.cloudmw.core.status.fleet;

import org.jspecify.annotations.NullMarked;
