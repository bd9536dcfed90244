/**
 * What stores that speak S3's protocol answer when they refuse or fail: the one taxonomy of such answers, for requests of the
 * SDK and for presigned URLs alike. Immutable; safe for any thread.
 */
@NullMarked
package io.cloudmw.core.store.answer;

import org.jspecify.annotations.NullMarked;
