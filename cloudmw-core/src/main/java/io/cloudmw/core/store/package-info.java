/**
 * Where replicas live: the {@link io.cloudmw.core.store.ChunkStore} contract and its decorators. Calls block; callers bring their own threads.
 */
@NullMarked
package io.cloudmw.core.store;

import org.jspecify.annotations.NullMarked;
