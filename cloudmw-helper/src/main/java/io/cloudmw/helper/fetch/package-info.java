/**
 * Getting blocks: attempts on a bounded pool of blocking threads, and what they leave behind
 * ({@link io.cloudmw.helper.block.FetchedBlock}). Safe for any thread; only pool threads block.
 */
@NullMarked
package io.cloudmw.helper.fetch;

import org.jspecify.annotations.NullMarked;
