/**
 * Answers of S3 stores that refuse or fail: the one taxonomy of such answers, for requests of the
 * SDK and for presigned URLs alike. Immutable; safe for any thread.
 */
@NullMarked
package io.cloudmw.core.store.answer;

import org.jspecify.annotations.NullMarked;
