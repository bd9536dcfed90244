/** The making of a backup: the export of a volume's catalog into files of a volume for backups. Calls block. */
@NullMarked
package io.cloudmw.client.backup.run;

import org.jspecify.annotations.NullMarked;
