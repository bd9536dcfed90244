/** The public API for backups of volumes: options and reports. Immutable values. */
@NullMarked
package io.cloudmw.client.backup;

import org.jspecify.annotations.NullMarked;
