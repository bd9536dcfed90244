/**
 * Cuts files into chunks and chunks into leaves, and digests them. No I/O; instances are confined to one thread,
 * records and static functions are safe for any.
 */
@NullMarked
package io.cloudmw.core.chunk;

import org.jspecify.annotations.NullMarked;
