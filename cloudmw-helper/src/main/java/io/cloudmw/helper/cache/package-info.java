/**
 * The tiers of a switch's cache: leaves in memory and on a disk. Safe for any thread; only the disk tier blocks.
 */
@NullMarked
package io.cloudmw.helper.cache;

import org.jspecify.annotations.NullMarked;
