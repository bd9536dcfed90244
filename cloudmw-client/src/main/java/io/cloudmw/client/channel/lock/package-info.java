/** The locks of channels: those of one channel, and the ranges that this JVM has locked. Safe for any thread. */
@NullMarked
package io.cloudmw.client.channel.lock;

import org.jspecify.annotations.NullMarked;
