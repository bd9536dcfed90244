/**
 * Blocks and leaves that a helper has fetched, in memory, in the spool or in a replica's file, until they are sent. Safe for
 * any thread.
 */
@NullMarked
package io.cloudmw.helper.block;

import org.jspecify.annotations.NullMarked;
