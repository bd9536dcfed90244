/**
 * Which disk or bucket is which store: what is said of them when they are first used, and what is refused later. Values and pure
 * rules, but for the checks of buckets, which block on the store. Safe for any thread.
 */
@NullMarked
package io.cloudmw.core.identity;

import org.jspecify.annotations.NullMarked;
