/**
 * The taxonomy of error responses of S3 stores, for requests of the SDK and for presigned URLs alike. Immutable; safe
 * for any thread.
 */
@NullMarked
package io.cloudmw.core.store.error;

import org.jspecify.annotations.NullMarked;
