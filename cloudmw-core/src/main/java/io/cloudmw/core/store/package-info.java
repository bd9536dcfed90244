/**
 * The contract of stores, {@link io.cloudmw.core.store.ChunkStore}, and its decorators. Calls block; callers bring
 * their own threads.
 */
@NullMarked
package io.cloudmw.core.store;

import org.jspecify.annotations.NullMarked;
