/**
 * Settings that the client makes before SLF4J and Netty start, so that neither writes to the standard error of an
 * application that
 * asked for nothing. Safe for any thread.
 */
@NullMarked
package io.cloudmw.client.embedding;

import org.jspecify.annotations.NullMarked;
