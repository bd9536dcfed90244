/**
 * The cache of a switch: leaves in memory and on a disk. Safe for any thread; only the disk tier blocks.
 */
@NullMarked
package io.cloudmw.helper.cache;

import org.jspecify.annotations.NullMarked;
