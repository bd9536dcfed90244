/**
 * What a switch keeps and shares: leaves in memory and on a disk, and fetches under way that any number of readers wait for.
 * Safe for any thread. Only pool threads of {@link io.cloudmw.helper.fetch.Fetcher} block.
 */
@NullMarked
package io.cloudmw.helper.cache;

import org.jspecify.annotations.NullMarked;
