/**
 * The disks attached to this helper. Safe for any thread.
 */
@NullMarked
package io.cloudmw.helper.disk;

import org.jspecify.annotations.NullMarked;
