/** Commands about volumes, snapshots and backups. */
@NullMarked
package io.cloudmw.cli.volume;

import org.jspecify.annotations.NullMarked;
