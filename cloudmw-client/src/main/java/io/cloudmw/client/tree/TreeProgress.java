package io.cloudmw.client.tree;

/**
 * The progress of a copy of a directory.
 *
 * @param files files that are done: copied, unchanged or failed
 * @param bytes bytes of those, and bytes copied of other files
 * @param movedBytes bytes that were copied
 * @param deleted files that the source lacks
 * @param totalFiles files counted so far
 * @param totalBytes bytes of those
 * @param isCounted whether the totals are complete
 */
public record TreeProgress(
        long files, long bytes, long movedBytes, long deleted, long totalFiles, long totalBytes, boolean isCounted) {}
