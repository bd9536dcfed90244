/**
 * The entry to the public API: {@link io.cloudmw.client.CloudMw}, its groups of operations, and options. The page
 * {@code docs/api.md} lists all packages of the API. Safe for any thread; calls block only where they say so.
 */
@NullMarked
package io.cloudmw.client;

import org.jspecify.annotations.NullMarked;
