/**
 * Blocks and leaves that a helper has fetched, until they are sent. They pass through a bounded memory, or wait in the spool
 * or in a replica's file. Safe for any thread.
 */
@NullMarked
package io.cloudmw.helper.block;

import org.jspecify.annotations.NullMarked;
