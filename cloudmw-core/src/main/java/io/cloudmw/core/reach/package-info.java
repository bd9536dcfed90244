/**
 * Access of this process to the buckets there are. A watch asks them now and then, over threads of its own; what it
 * found is
 * safe for any thread to read.
 */
@NullMarked
package io.cloudmw.core.reach;

import org.jspecify.annotations.NullMarked;
