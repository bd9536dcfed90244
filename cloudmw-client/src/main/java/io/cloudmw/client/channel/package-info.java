/**
 * Streams and channels of the JDK over files of volumes. Channels and streams are safe for any thread; their calls
 * block.
 */
@NullMarked
package io.cloudmw.client.channel;

import org.jspecify.annotations.NullMarked;
