/**
 * Backups of volumes: what a volume consists of, exported from the catalog ({@link io.cloudmw.coordinator.backup.VolumeExport}), and
 * made a volume again from what is in stores ({@link io.cloudmw.coordinator.backup.Recovery}). Everything blocks on catalogs and
 * stores; an export is safe for any thread, a recovery is one thread's.
 */
@NullMarked
package io.cloudmw.coordinator.backup;

import org.jspecify.annotations.NullMarked;
