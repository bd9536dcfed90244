/**
 * Chunks as files in a directory of this machine, written crash-safely. Stores are safe for any thread; calls
 * block; one process at a time may write to a directory.
 */
@NullMarked
package io.cloudmw.core.store.disk;

import org.jspecify.annotations.NullMarked;
