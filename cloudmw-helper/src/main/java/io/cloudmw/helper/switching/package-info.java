/**
 * The switch: a helper that fetches each block once for all its readers, and from the switches above it before a store.
 * {@link io.cloudmw.helper.switching.FetchRoute} holds the order in which a switch asks for a block. Safe for any thread;
 * only pool threads block.
 */
@NullMarked
package io.cloudmw.helper.switching;

import org.jspecify.annotations.NullMarked;
