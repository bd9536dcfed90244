/**
 * Writes: each put cuts its source, stores the chunks, writes the manifest and commits the version. Each put confines
 * its state to one serial executor; sources and chunk uploads run on threads that may block.
 */
@NullMarked
package io.cloudmw.client.write;

import org.jspecify.annotations.NullMarked;
