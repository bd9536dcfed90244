/**
 * The public API: {@link io.cloudmw.client.CloudMw} and its options; what transfers tell is in
 * {@code io.cloudmw.client.progress}. Safe for any thread; nothing blocks except {@code close()}.
 */
@NullMarked
package io.cloudmw.client;

import org.jspecify.annotations.NullMarked;
