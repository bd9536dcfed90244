/**
 * The manifests of versions: their chunks, in segments that are immutable once the version is committed. Values; safe
 * for any thread.
 */
@NullMarked
package io.cloudmw.core.manifest;

import org.jspecify.annotations.NullMarked;
