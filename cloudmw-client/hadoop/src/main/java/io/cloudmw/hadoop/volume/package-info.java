/**
 * The names of volumes in Hadoop's terms: paths, statuses, listings, and failures. Types are safe for any thread unless
 * they say otherwise; calls block.
 */
@NullMarked
package io.cloudmw.hadoop.volume;

import org.jspecify.annotations.NullMarked;
