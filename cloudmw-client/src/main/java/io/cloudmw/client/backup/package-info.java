/** Backups of volumes, kept as files of another volume. Calls block; every object is one thread's. */
@NullMarked
package io.cloudmw.client.backup;

import org.jspecify.annotations.NullMarked;
