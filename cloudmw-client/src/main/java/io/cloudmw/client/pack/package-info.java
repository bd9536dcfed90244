/**
 * Puts of small files, many of which share one stored chunk, a pack: the layout of a pack, its source and its put, and
 * the queue that fills packs.
 */
@NullMarked
package io.cloudmw.client.pack;

import org.jspecify.annotations.NullMarked;
