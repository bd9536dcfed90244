/**
 * Backups of volumes: the export of a volume from the catalog ({@link io.cloudmw.coordinator.backup.VolumeExport}) and
 * its recovery from stores ({@link io.cloudmw.coordinator.backup.VolumeRecovery}). Calls block on catalogs and stores.
 * An export is safe for any thread; a recovery is confined to one.
 */
@NullMarked
package io.cloudmw.coordinator.backup;

import org.jspecify.annotations.NullMarked;
