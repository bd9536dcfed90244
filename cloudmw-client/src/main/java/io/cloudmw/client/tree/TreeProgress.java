package io.cloudmw.client.tree;

/**
 * How far a copy of a directory is.
 *
 * @param files that are done: copied, found to be there, or failed
 * @param bytes of those, and of what was copied of others
 * @param movedBytes that were copied
 * @param deleted files that the source has not
 * @param totalFiles counted so far
 * @param totalBytes of those
 * @param isCounted whether these are all
 */
public record TreeProgress(
        long files, long bytes, long movedBytes, long deleted, long totalFiles, long totalBytes, boolean isCounted) {}
