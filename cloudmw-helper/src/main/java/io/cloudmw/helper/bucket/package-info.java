/**
 * Stores that this helper reaches over the network by itself. Safe for any thread.
 */
@NullMarked
package io.cloudmw.helper.bucket;

import org.jspecify.annotations.NullMarked;
