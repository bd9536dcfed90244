/** Locks on ranges of files: requests, answers and claims. Immutable values. */
@NullMarked
package io.cloudmw.core.model.lock;

import org.jspecify.annotations.NullMarked;
