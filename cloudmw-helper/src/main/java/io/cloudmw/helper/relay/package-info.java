/**
 * Sends a won block to its destination over the bulk plane. Called on event loops and by transfers: never blocks.
 */
@NullMarked
package io.cloudmw.helper.relay;

import org.jspecify.annotations.NullMarked;
