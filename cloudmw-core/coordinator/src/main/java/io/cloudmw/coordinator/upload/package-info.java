/**
 * Uploads and edits of files: the plan of a new version, the placement of its chunks, the check of its manifest, and
 * its commit. Safe for any thread; calls block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.upload;

import org.jspecify.annotations.NullMarked;
