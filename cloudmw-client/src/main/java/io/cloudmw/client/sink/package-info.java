/**
 * Destinations of verified bytes: files, streams and positional targets. Writes come from worker threads, several at
 * once unless the sink takes leaves in order.
 */
@NullMarked
package io.cloudmw.client.sink;

import org.jspecify.annotations.NullMarked;
