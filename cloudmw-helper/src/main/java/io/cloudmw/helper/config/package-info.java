/**
 * The configuration of a helper. Immutable; safe for any thread.
 */
@NullMarked
package io.cloudmw.helper.config;

import org.jspecify.annotations.NullMarked;
