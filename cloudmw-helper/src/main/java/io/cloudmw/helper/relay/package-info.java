/**
 * Relays: won blocks on their way to destinations, over the bulk plane. Called on event loops and by transfers; never
 * blocks.
 */
@NullMarked
package io.cloudmw.helper.relay;

import org.jspecify.annotations.NullMarked;
