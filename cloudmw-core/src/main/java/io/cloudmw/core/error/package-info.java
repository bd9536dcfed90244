/**
 * The one taxonomy of failures and what may be retried. Immutable; safe for any thread.
 */
@NullMarked
package io.cloudmw.core.error;

import org.jspecify.annotations.NullMarked;
