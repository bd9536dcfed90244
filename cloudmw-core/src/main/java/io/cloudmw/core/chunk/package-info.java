/**
 * The cutting of files into chunks and of chunks into leaves, and their digests. No I/O; instances are confined to one
 * thread, records and static functions are safe for any.
 */
@NullMarked
package io.cloudmw.core.chunk;

import org.jspecify.annotations.NullMarked;
