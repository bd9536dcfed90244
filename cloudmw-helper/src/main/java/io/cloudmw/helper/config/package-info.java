/**
 * What a helper can be told before it starts. Immutable; safe for any thread.
 */
@NullMarked
package io.cloudmw.helper.config;

import org.jspecify.annotations.NullMarked;
