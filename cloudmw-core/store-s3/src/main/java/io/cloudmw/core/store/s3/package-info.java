/**
 * Chunks as objects of S3 and of stores that speak its protocol; the only room that knows the AWS SDK's client for it.
 * Safe for any thread; calls block.
 */
@NullMarked
package io.cloudmw.core.store.s3;

import org.jspecify.annotations.NullMarked;
