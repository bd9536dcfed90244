/**
 * Buckets: the S3 stores that a helper or a coordinator reaches over the network by itself. Safe for any thread.
 */
@NullMarked
package io.cloudmw.helper.bucket;

import org.jspecify.annotations.NullMarked;
