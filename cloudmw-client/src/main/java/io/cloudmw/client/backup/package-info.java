/** Backups of volumes, kept as files of another volume. Calls block; every object is confined to one thread. */
@NullMarked
package io.cloudmw.client.backup;

import org.jspecify.annotations.NullMarked;
