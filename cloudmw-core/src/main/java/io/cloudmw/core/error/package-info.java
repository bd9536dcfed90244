/** The taxonomy of failures with their retry verdicts. Immutable; safe for any thread. */
@NullMarked
package io.cloudmw.core.error;

import org.jspecify.annotations.NullMarked;
