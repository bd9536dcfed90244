/**
 * The messages inside the frames of the bulk plane: greetings, requests, results and resets. Immutable; safe for any
 * thread.
 */
@NullMarked
package io.cloudmw.core.bulk.message;

import org.jspecify.annotations.NullMarked;
