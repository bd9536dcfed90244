/** Reads of chunks through presigned URLs, without credentials or the AWS SDK. Safe for any thread; calls block. */
@NullMarked
package io.cloudmw.core.store.http;

import org.jspecify.annotations.NullMarked;
