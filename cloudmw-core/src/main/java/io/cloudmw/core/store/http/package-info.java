/**
 * Reads of chunks through presigned URLs, without credentials or the AWS SDK. Safe for any thread; calls of stores and
 * readers block, listeners are called on event loops.
 */
@NullMarked
package io.cloudmw.core.store.http;

import org.jspecify.annotations.NullMarked;
