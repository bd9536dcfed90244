/**
 * The disk cache: verified leaves in files of a directory, which survive a restart. Safe for any thread; blocks on the disk.
 */
@NullMarked
package io.cloudmw.core.cache.disk;

import org.jspecify.annotations.NullMarked;
