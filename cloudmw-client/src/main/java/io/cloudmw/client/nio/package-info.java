/** A file system of the JDK over a volume. Its types are safe for any thread; their calls block. */
@NullMarked
package io.cloudmw.client.nio;

import org.jspecify.annotations.NullMarked;
